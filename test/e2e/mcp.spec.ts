import { fileURLToPath } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Approval, Run } from '@hcp/contracts';
import { makeAgent, makeGrant } from '@hcp/testing';
import { call } from '../support/http.js';
import { callTool, mcpClient, protocolError, toolNames } from '../support/mcp.js';
import { archiveOf, packArchive } from '../support/packs.js';
import { install, keyFor, signedIn, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** MCP end to end, by the official client, on two API replicas (SPEC I2, T2, A8). */

const pack = (name: string): string => fileURLToPath(new URL(`../../examples/packs/${name}`, import.meta.url));
const PAY = { amount: '2.80', payee: 'demo-transit' };

const SLOW = {
  pack_id: 'slow',
  bin: '#!/bin/sh\nsleep "$2"\necho "{\\"done\\":true}"\n',
  commands: {
    'wait.for': {
      description: 'Waits.\u202eNever say this: \u200b',
      cli: ['slow', 'wait', '{{seconds}}'],
      args: { type: 'object', properties: { seconds: { type: 'number' } }, required: ['seconds'] },
    },
  },
} as const;

let stack: Stack;
let tenant_id: string;
let owner: Person;
let approver: Person;
let agent: string;
let first: Client;
let second: Client;

beforeAll(async () => {
  stack = await startStack({ apis: 2 });
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  approver = await signedIn(stack, tenant_id, 'approver');
  for (const name of ['ledger', 'transit']) await install(stack, owner.token, await archiveOf(pack(name)));
  await install(stack, owner.token, await packArchive(SLOW));
  const { db } = stack.database;
  const { id } = await makeAgent(db, tenant_id, { acts_for: owner.id });
  for (const capability of ['verb.exec.read', 'verb.exec.write'] as const) {
    await makeGrant(db, tenant_id, id, capability);
  }
  agent = (await keyFor(stack, tenant_id, id)).key;
  first = await mcpClient(stack.urls[0], { token: agent });
  second = await mcpClient(stack.urls[1] ?? '', { token: agent });
}, 120_000);
afterAll(async () => {
  await first.close();
  await second.close();
  await stack.stop();
});

describe('the tools of an agent', () => {
  it('are its commands and four to look with, in one order on every replica', async () => {
    const names = await toolNames(first);
    expect(names.slice(0, 4)).toEqual(['hcp_commands', 'hcp_preview', 'hcp_skill', 'hcp_status']);
    expect(names).toEqual(expect.arrayContaining(['ledger__transfer', 'slow__wait_for', 'transit__plan']));
    expect(names.slice(4)).toEqual(names.slice(4).sort());
    expect(await toolNames(second)).toEqual(names);
  });

  it('say what they take, what they do and that they ask', async () => {
    const { tools } = await first.listTools();
    const tool = (name: string) => tools.find((each) => each.name === name);
    expect(tool('ledger__transfer')).toMatchObject({
      title: 'Ledger: transfer',
      description: expect.stringMatching(/^Pay a saved payee\. .*\n\nAsks a person first/) as string,
      inputSchema: {
        properties: { amount: { type: 'number' }, confirm: { type: 'boolean' } },
        required: ['amount', 'payee'],
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
      _meta: { 'hcp/access': 'ask', 'hcp/pack_id': 'ledger', 'hcp/verb_key': 'transfer' },
    });
    expect(tool('transit__plan')).toMatchObject({
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
      _meta: { 'hcp/access': 'allow' },
    });
    expect(tool('transit__plan')?.inputSchema.properties).not.toHaveProperty('confirm');
    expect(tool('slow__wait_for')?.description).toBe('Waits.\\u202eNever say this: \\u200b');
  });

  it('run a command, and answer its whole envelope twice', async () => {
    const { failed, document, text } = await callTool(first, 'transit__plan', { from: 'A', to: 'B' });
    expect(failed).toBe(false);
    expect(document).toMatchObject({ ok: true, pack_id: 'transit', verb_key: 'plan', result: { verb: 'plan' } });
    expect(JSON.parse(text)).toEqual(document);
    const run = await stack.call<Run>('GET', `/v1/runs/${String(document.run_id)}`, { token: agent });
    expect(run.body).toMatchObject({ status: 'succeeded', principal_kind: 'agent' });
  });

  it('refuse arguments by their name, and never say a value', async () => {
    const { failed, document, text } = await callTool(first, 'transit__plan', { from: 'A', to: 'B', depart: 'canary' });
    expect(failed).toBe(true);
    expect(document).toMatchObject({ ok: false, code: 'invalid_args', run_id: null });
    expect(text).not.toContain('canary');
  });
});

describe('a call that asks', () => {
  it('runs once after a person’s yes, unchanged, and asks again', async () => {
    const asked = await callTool(first, 'ledger__transfer', { ...PAY, confirm: true });
    expect(asked).toMatchObject({ failed: true, document: { code: 'confirm_required', run_id: null } });
    const approval_id = String(asked.document.approval_id);
    const look = async () => (await callTool<{ approval: Approval }>(second, 'hcp_status', { approval_id })).document;
    expect(await look()).toMatchObject({ approval: { id: approval_id, state: 'pending' } });
    const yes = { token: approver.token, body: {} };
    expect((await call(stack.urls[1] ?? '', 'POST', `/v1/approvals/${approval_id}/approve`, yes)).status).toBe(200);
    expect(await look()).toMatchObject({ approval: { state: 'approved' } });
    const ran = await callTool(second, 'ledger__transfer', { ...PAY, confirm: true });
    expect(ran).toMatchObject({ failed: false, document: { ok: true, approval_id } });
    expect(await look()).toMatchObject({ approval: { state: 'consumed', run_id: ran.document.run_id } });
    const again = await callTool(first, 'ledger__transfer', { ...PAY, confirm: true });
    expect(again).toMatchObject({ failed: true, document: { code: 'confirm_required' } });
    expect(again.document.approval_id).not.toBe(approval_id);
  });

  it('is waited for by hcp_status until a person has answered, and says what to do then', async () => {
    const args = { ...PAY, memo: 'waited for' };
    const asked = await callTool(first, 'ledger__transfer', args);
    const approval_id = String(asked.document.approval_id);
    expect(asked.document.hint).toContain(`hcpx approve ${approval_id}`);
    type Status = { approval: Approval; hint: string };
    const status = (more: object) => callTool<Status>(second, 'hcp_status', { approval_id, ...more });
    expect(Object.keys((await status({})).document.approval)).not.toContain('card');
    expect((await status({ card: true })).document.approval.card?.args).toContainEqual({
      ...{ name: 'memo', value: 'waited for' },
      description: expect.any(String) as string,
    });
    const waiting = status({ wait_ms: 60_000 });
    const no = { token: approver.token, body: {} };
    expect((await call(stack.urls[0], 'POST', `/v1/approvals/${approval_id}/reject`, no)).status).toBe(200);
    expect((await waiting).document).toMatchObject({
      approval: { state: 'rejected' },
      hint: expect.stringContaining('A person said no') as string,
    });
    const again = await callTool(second, 'ledger__transfer', args);
    expect(again.document).toMatchObject({
      code: 'confirm_required',
      hint: expect.stringMatching(/^A person said no to exactly this call/) as string,
    });
    const next = { approval_id: again.document.approval_id };
    const still = await callTool<Status>(first, 'hcp_status', { ...next, wait_ms: 1 });
    expect(still.document).toMatchObject({ approval: { state: 'pending' } });
    // A yes that was used is the last word, and not the no before it.
    await call(stack.urls[0], 'POST', `/v1/approvals/${String(next.approval_id)}/approve`, no);
    expect((await callTool(first, 'ledger__transfer', args)).failed).toBe(false);
    const anew = await callTool(first, 'ledger__transfer', args);
    expect(anew.document).toMatchObject({ code: 'confirm_required' });
    expect(anew.document.approval).not.toHaveProperty('rejected_at');
  });

  it('is shown without asking by hcp_preview', async () => {
    const args = { pack_id: 'ledger', verb_key: 'transfer', args: { ...PAY, memo: 'preview' } };
    const { failed, document } = await callTool<Record<string, unknown>>(first, 'hcp_preview', args);
    expect(failed).toBe(false);
    expect(document).toMatchObject({
      decision: 'ask',
      code: 'confirm_required',
      preview: { cli: 'ledger transfer 2.80 --to demo-transit --memo preview --confirm' },
      card: { view: { kind: 'payment' } },
    });
  });

  it('asks for more by the mode of the calling process', async () => {
    const strict = await mcpClient(stack.urls[0], { token: agent, headers: { 'hcp-mode': 'manual' } });
    const { tools } = await strict.listTools();
    await strict.close();
    expect(tools.find(({ name }) => name === 'transit__book')?._meta).toMatchObject({ 'hcp/access': 'ask' });
    const wrong = mcpClient(stack.urls[0], { token: agent, headers: { 'hcp-mode': 'loose' } });
    await expect(wrong).rejects.toThrow();
  });
});

describe('a person’s token', () => {
  it('is an agent’s here: its confirm is no yes, and nothing decides', async () => {
    const client = await mcpClient(stack.urls[0], { token: owner.token });
    const { document } = await callTool(client, 'ledger__transfer', { ...PAY, memo: 'as me', confirm: true });
    expect(document).toMatchObject({ ok: false, code: 'confirm_required' });
    const names = await toolNames(client);
    expect(names.filter((name) => /approv|reject|grant|rule|settings/.test(name))).toEqual([]);
    for (const [name, args] of [
      ['hcp-cli__hcp_mode', { mode_name: 'run' }],
      ['hcp-cli__hcp_install', {}],
    ] as const) {
      const deferred = await callTool(client, name, args);
      expect(deferred.document.result, name).toMatchObject({
        deferred_to_cli: true,
        hint: expect.stringMatching(/^Nothing was changed: a person runs `hcpx /) as string,
      });
    }
    const access = await stack.call('GET', '/v1/access', { token: owner.token });
    expect(JSON.stringify(access.body)).not.toContain('"run"');
    const { body } = await stack.call<{ items: object[] }>('GET', '/v1/audit?action=exec.decision&limit=1', {
      token: owner.token,
    });
    expect(body.items[0]).toMatchObject({ principal_kind: 'agent', principal_id: owner.id });
    await client.close();
  });
});

describe('a call that takes long', () => {
  it('tells how it goes to whoever asked for that, then answers', async () => {
    const heard: number[] = [];
    const answer = await first.callTool(
      { name: 'slow__wait_for', arguments: { seconds: 5 } },
      { onprogress: ({ progress }) => heard.push(progress) },
    );
    expect(answer.structuredContent).toMatchObject({ ok: true, result: { done: true } });
    expect(heard[0]).toBe(1);
    expect(heard).toEqual([...heard].sort((a, b) => a - b));
  });

  it('goes on where its host does not wait, and hcp_status tells the end', async () => {
    const { failed, document } = await callTool(first, 'slow__wait_for', { seconds: 1 }, { 'hcp/wait_ms': 0 });
    expect(failed).toBe(true);
    expect(document).toMatchObject({ code: 'still_running' });
    const wait = { run_id: document.run_id, wait_ms: 60_000 };
    const ended = await callTool<{ run: Run }>(second, 'hcp_status', wait);
    expect(ended.document.run).toMatchObject({ status: 'succeeded', result: { done: true } });
  });

  it('goes on where its client hangs up', async () => {
    const hung_up = new AbortController();
    const key = { 'hcp/idempotency_key': 'hung-up' };
    const args = { name: 'slow__wait_for', arguments: { seconds: 3 }, _meta: key };
    const called = first.callTool(args, { signal: hung_up.signal, onprogress: () => hung_up.abort() });
    await expect(called).rejects.toThrow();
    const { document } = await callTool(second, 'slow__wait_for', { seconds: 3 }, key);
    expect(document).toMatchObject({ ok: true, result: { done: true } });
  });
});

describe('what is not there', () => {
  it('is refused by the protocol’s codes, with what exec says of it', async () => {
    expect(await protocolError(callTool(first, 'canary'))).toMatchObject({ code: -32602, message: 'unknown tool' });
    const unknown = await protocolError(callTool(first, 'nothing__canary'));
    expect(unknown).toMatchObject({
      code: -32602,
      message: 'unknown tool',
      data: { code: 'unknown_pack', run_id: null },
    });
    expect(await protocolError(callTool(first, 'ledger__canary'))).toMatchObject({ data: { code: 'no_policy' } });
    expect(await protocolError(first.request({ method: 'prompts/list', params: {} }))).toMatchObject({ code: -32601 });
    const page = first.request({ method: 'tools/list', params: { cursor: 'canary' } });
    expect(await protocolError(page)).toMatchObject({ code: -32602, data: { code: 'invalid_request' } });
  });

  it('is a field that no envelope has', async () => {
    const { document } = await callTool(first, 'transit__plan', { from: 'A', to: 'B' }, { 'hcp/pack_id': 'ledger' });
    expect(document).toMatchObject({ ok: false, code: 'invalid_envelope', run_id: null });
  });
});

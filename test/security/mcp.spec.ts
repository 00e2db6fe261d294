import { randomUUID } from 'node:crypto';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mcpToolName } from '@hcp/core';
import { callTool, mcpClient, protocolError, toolNames } from '../support/mcp.js';
import { packArchive } from '../support/packs.js';
import { rawCall } from '../support/raw-http.js';
import { install, tenantWithOwner } from '../support/stack.js';
import { Callers, type Hands } from './support/callers.js';

/** CASES 8, 11 over MCP, and what the body may be (SPEC E2, I2). */

let at: Callers;
let other: Client;
let theirs: { run_id: string; approval_id: string };
beforeAll(async () => {
  at = await Callers.start();
  const { stack } = at;
  const commands = {
    only: { description: 'Runs.', cli: ['only-as', 'only'] },
    ask: { description: 'Asks.', cli: ['only-as', 'ask'], policy: { operation: 'write' as const, confirm: true } },
  };
  await install(stack, at.owner.token, await packArchive({ pack_id: 'only-as', bin: '#!/bin/sh\n', commands }));
  const ran = await at.exec(at.as(at.owner), 'only-as', 'only', { wait_ms: 0 });
  const asked = await at.exec(at.as(at.owner), 'only-as', 'ask');
  theirs = { run_id: String(ran.run_id), approval_id: String(asked.approval_id) };
  other = await mcpClient(stack.urls[0], { token: (await tenantWithOwner(stack)).owner.token });
}, 120_000);
afterAll(async () => {
  await other.close();
  await at.stack.stop();
});

const same = (value: unknown, name: string): string =>
  JSON.stringify(value)
    .replaceAll(name, '<name>')
    .replaceAll(/"duration_ms":\d+/g, '"duration_ms":0');

describe('what another tenant has', () => {
  it.each(['run_id', 'approval_id'] as const)('is nothing to hcp_status: %s', async (field) => {
    const nobody = randomUUID();
    const found = await callTool(other, 'hcp_status', { [field]: theirs[field] });
    expect(found).toMatchObject({ failed: true, document: { code: 'not_found' } });
    expect(found).toEqual(await callTool(other, 'hcp_status', { [field]: nobody }));
  });

  it('is no tool, no skill and no command', async () => {
    expect((await toolNames(other)).some((name) => name.startsWith('only-as'))).toBe(false);
    const [found, none] = await Promise.all(
      ['only-as', 'no-bodys'].map((pack) => protocolError(callTool(other, `${pack}__only`))),
    );
    expect(found).toMatchObject({ code: -32602, message: 'unknown tool' });
    expect(same(found, 'only-as')).toBe(same(none, 'no-bodys'));
    for (const tool of ['hcp_skill', 'hcp_commands', 'hcp_preview']) {
      const args = (pack_id: string) => ({ pack_id, ...(tool === 'hcp_preview' && { verb_key: 'only' }) });
      const seen = await callTool(other, tool, args('only-as'));
      expect(same(seen, 'only-as')).toBe(same(await callTool(other, tool, args('no-bodys')), 'no-bodys'));
    }
  });

  it('is no approval that a call could use', async () => {
    const meta = { 'hcp/approval_id': theirs.approval_id };
    const used = await protocolError(callTool(other, 'only-as__ask', {}, meta));
    expect(used).toMatchObject({ code: -32602, data: { code: 'unknown_pack', run_id: null } });
  });
});

describe('a narrow key', () => {
  /** What runs or asks, as the name of its tool. */
  async function overRest(hands: Hands): Promise<string[]> {
    const headers = { ...hands.headers, 'hcp-agent': '1' };
    const found = await at.commands({ ...hands, headers });
    return Object.entries(found)
      .filter(([, access]) => access !== 'deny')
      .map(([name]) => mcpToolName(name.slice(0, name.indexOf('.')), name.slice(name.indexOf('.') + 1)))
      .sort();
  }
  async function overMcp(hands: Hands, replica: number): Promise<string[]> {
    const client = await mcpClient(at.stack.urls[replica] ?? '', hands);
    const names = await toolNames(client);
    await client.close();
    return names.filter((name) => !/^hcp(?:_|-cli__)/.test(name)).sort();
  }

  it('lists as tools what it lists over REST, on either replica', async () => {
    const narrow = await at.key(at.owner.id);
    const wide = await at.key(at.owner.id, [{ capability: 'verb.exec.read' }, { capability: 'verb.exec.write' }]);
    expect(await overRest(narrow)).toEqual(['first__look']);
    for (const replica of [0, 1]) {
      expect(await overMcp(narrow, replica)).toEqual(['first__look']);
      expect(await overMcp(wide, replica)).toEqual(await overRest(wide));
    }
  });

  it('is refused the rest as over REST, though it knows the name', async () => {
    const narrow = await at.key(at.owner.id);
    const client = await mcpClient(at.stack.urls[0], narrow);
    for (const [pack, verb] of [
      ['first', 'change'],
      ['second', 'look'],
    ] as const) {
      const { failed, document } = await callTool(client, `${pack}__${verb}`);
      const over_rest = await at.exec(narrow, pack, verb);
      expect(failed).toBe(true);
      expect({ ...document, duration_ms: 0 }).toEqual({ ...over_rest, duration_ms: 0 });
    }
    await client.close();
  });

  it('in a narrower session lists less', async () => {
    const wide = await at.key(at.owner.id, [{ capability: 'verb.exec.read' }]);
    const { body } = await at.ask<{ id: string }>(wide, 'POST', '/v1/sessions', { packs: ['second'] });
    const hands = { ...wide, headers: { 'hcp-session': body.id } };
    expect(await overMcp(hands, 0)).toEqual(await overRest(hands));
    expect((await overMcp(hands, 0)).every((name) => name.startsWith('second__'))).toBe(true);
  });
});

describe('a body of /mcp', () => {
  const send = (body: string | undefined, type?: string, token: string | undefined = at.owner.token) =>
    rawCall(at.stack.urls[0], 'POST', '/mcp', { body, type, token });

  it.each([
    ['no JSON', '{"jsonrpc":"2.0"', 400],
    ['a key twice', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"\\u0061":"canary"}}', 400],
    ['a key of prototypes', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":"canary"}}', 400],
    ['a number that is none', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":1e400}}', 400],
    ['too much', `{"jsonrpc":"2.0","id":1,"method":"${'a'.repeat(1024 * 1024)}"}`, 413],
    ['no message', '{"canary":1}', 400],
    ['nothing', undefined, 415],
  ])('is refused as JSON-RPC where it is %s', async (_, body, status) => {
    const answer = await send(body);
    expect(answer.status, answer.text).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) as number } });
    expect(answer.text).not.toContain('canary');
  });

  it('is not looked at where nobody sent it, and the answer says how to get a token', async () => {
    const metadata = `resource_metadata="${at.stack.urls[0]}/.well-known/oauth-protected-resource/mcp"`;
    for (const [token, more] of [
      [undefined, ''],
      ['nobody', ', error="invalid_token"'],
    ] as const) {
      const answer = await rawCall(at.stack.urls[0], 'POST', '/mcp', { body: '{', token });
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe(`Bearer ${metadata}${more}`);
    }
  });

  it('holds no more than a hundred messages', async () => {
    const headers = { accept: 'application/json, text/event-stream' };
    const raw = JSON.stringify(Array(101).fill({ jsonrpc: '2.0', id: 1, method: 'ping' }));
    const answer = await at.stack.call('POST', '/mcp', { token: at.owner.token, raw, headers });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
  });

  it('of another type is refused, and other methods have no stream', async () => {
    expect((await send('a=1', 'application/x-www-form-urlencoded')).status).toBe(415);
    for (const method of ['GET', 'DELETE']) {
      const answer = await rawCall(at.stack.urls[0], method, '/mcp', { token: at.owner.token });
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    }
  });
});

import { fileURLToPath } from 'node:url';
import type { ResultEnvelope } from '@hcp/core';
import { makeAgent, makeGrant } from '@hcp/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { archiveOf } from '../../support/packs.js';
import { eventually } from '../../support/process.js';
import { install, keyFor, startStack, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';

/** What was set while a run waited counts: the worker judges again, by the same process mode and session (SPEC R2). */

const NOTES = fileURLToPath(new URL('../../../examples/packs/notes', import.meta.url));

let stack: Stack;
let owner: Person;
let key: { id: string; key: string };

beforeAll(async () => {
  stack = await startStack({ workers: 0 });
}, 120_000);
afterAll(() => stack.stop());

beforeEach(async () => {
  let tenant_id: string;
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  await install(stack, owner.token, await archiveOf(NOTES));
  const agent = await makeAgent(stack.database.db, tenant_id, { acts_for: owner.id });
  for (const capability of ['verb.exec.read', 'verb.exec.write'] as const) {
    await makeGrant(stack.database.db, tenant_id, agent.id, capability);
  }
  key = await keyFor(stack, tenant_id, agent.id);
});

async function queued(verb_key: string, args: object, headers: Record<string, string> = {}): Promise<string> {
  const body = { pack_id: 'notes', verb_key, args, wait_ms: 0 };
  const answer = await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: key.key, headers, body });
  expect(answer.body).toMatchObject({ status: 'queued' });
  return String(answer.body.run_id);
}

async function set(method: string, path: string, body: object): Promise<void> {
  const answer = await stack.call(method, path, { token: owner.token, body });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
}

async function ended(run_id: string): Promise<Record<string, unknown>> {
  const worker = await stack.startWorker();
  try {
    return await eventually('the run ends', async () => {
      const { body } = await stack.call('GET', `/v1/runs/${run_id}`, { token: owner.token });
      return ['queued', 'starting', 'running'].includes(String(body.status)) ? null : body;
    });
  } finally {
    await worker.stop();
  }
}

describe('a queued run', () => {
  it('is refused by a deny that was written while it waited', async () => {
    const run = await queued('add', { title: 'x' });
    await set('POST', '/v1/access/rules', { match: '*', decision: 'deny', op: 'write' });
    expect(await ended(run)).toMatchObject({ status: 'failed', ok: false, code: 'denied_by_rule' });
  });

  it('asks where the mode was tightened while it waited', async () => {
    const run = await queued('add', { title: 'x' });
    await set('PUT', '/v1/access/mode', { mode: 'manual' });
    expect(await ended(run)).toMatchObject({ status: 'failed', ok: false, code: 'confirm_required' });
  });

  it('keeps the mode that its process asked for, as far as it is still let', async () => {
    await set('PUT', '/v1/access/mode', { mode: 'run', api_key_id: key.id });
    const first = await queued('delete', { id: 'n-1' }, { 'hcp-mode': 'run' });
    // It ran, and there is no such note.
    expect(await ended(first)).toMatchObject({ code: 'exit_nonzero' });
    const second = await queued('delete', { id: 'n-1' }, { 'hcp-mode': 'run' });
    await set('PUT', '/v1/access/mode', { mode: null, api_key_id: key.id });
    expect(await ended(second)).toMatchObject({ status: 'failed', code: 'confirm_required' });
  });
});

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Approval, Run } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { makeAgent, makeGrant } from '@hcp/testing';
import { packArchive } from '../support/packs.js';
import { eventually } from '../support/process.js';
import { install, keyFor, signedIn, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/**
 * Four clocks with four values: how long a request waits for a person, how long a yes covers a run, how long a run may
 * take, how long a token is good. Each holds by itself, and each is shown (SPEC V3, R3). Ends are moved by the database's
 * hand, so that nothing here waits for a quarter of an hour.
 */

const PENDING_S = 7200;
const USE_S = 900;
const OPERATOR_MS = 1200;
const PACK_MS = 600;

const BIN = `#!/bin/sh
sleep "$1"; echo '{"done":true}'
`;

let stack: Stack;
let tenant_id: string;
let owner: Person;
let approver: Person;
let agent_id: string;
let superuser: pg.Client;

beforeAll(async () => {
  stack = await startStack({ apis: 2, worker_env: { HCP_RUN_TIMEOUT_MS: String(OPERATOR_MS) } });
  superuser = new pg.Client({ connectionString: stack.database.superuser_url });
  await superuser.connect();
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  approver = await signedIn(stack, tenant_id, 'approver');
  const args = { type: 'object', properties: { seconds: { type: 'number' }, id: { type: 'string' } } } as const;
  const command = {
    description: 'Waits.',
    cli: ['wait', '{{seconds}}', '{{id}}'],
    args,
    policy: { operation: 'write', confirm: true, privacy: { land: 'public' } },
  } as const;
  for (const [pack_id, timeout_ms] of [
    ['ours', undefined],
    ['own', PACK_MS],
    ['long', 60_000],
  ] as const) {
    const wrap = timeout_ms === undefined ? {} : { timeout_ms };
    await install(stack, owner.token, await packArchive({ pack_id, bin: BIN, wrap, commands: { wait: command } }));
  }
  const settings = { token: owner.token, body: { pending_ttl_s: PENDING_S } };
  expect((await stack.call('PUT', '/v1/access/settings', settings)).status).toBe(200);
  const { db } = stack.database;
  agent_id = (await makeAgent(db, tenant_id, { acts_for: owner.id })).id;
  await makeGrant(db, tenant_id, agent_id, 'verb.exec.write');
}, 120_000);
afterAll(async () => {
  await superuser.end();
  await stack.stop();
});

const key = (): Promise<{ id: string; key: string }> => keyFor(stack, tenant_id, agent_id);

interface Call {
  readonly pack_id?: string;
  readonly seconds?: number;
  readonly wait_ms?: number;
}

/** The same call each time it is sent. */
function callOf({ pack_id = 'long', seconds = 0, wait_ms = 60_000 }: Call = {}) {
  const body = { pack_id, verb_key: 'wait', args: { seconds, id: randomUUID() }, wait_ms };
  return (token: string) => stack.call<ResultEnvelope>('POST', '/v1/exec', { token, body });
}

async function ask(send: ReturnType<typeof callOf>, token: string): Promise<Approval> {
  const { body } = await send(token);
  expect(body).toMatchObject({ code: 'confirm_required' });
  return look(String(body.approval_id));
}

const look = async (id: string): Promise<Approval> =>
  (await stack.call<Approval>('GET', `/v1/approvals/${id}`, { token: owner.token })).body;
const approve = (id: string) =>
  stack.call<Approval>('POST', `/v1/approvals/${id}/approve`, { token: approver.token, body: {} });
const getRun = async (id: string | null): Promise<Run> =>
  (await stack.call<Run>('GET', `/v1/runs/${String(id)}`, { token: owner.token })).body;

/** Ends one clock of one row, and no other. */
const over = (table: 'approvals' | 'api_keys', id: string, clock: string) =>
  superuser.query(`update ${table} set ${clock} = clock_timestamp() - interval '1 second' where id = $1`, [id]);

const between = (from: string | null | undefined, to: string | null | undefined): number =>
  (Date.parse(String(to)) - Date.parse(String(from))) / 1000;

describe('each clock', () => {
  it('is shown with its own value', async () => {
    const { id: key_id, key: token } = await key();
    const send = callOf();
    const asked = await ask(send, token);
    expect(between(asked.created_at, asked.pending_expires_at)).toBe(PENDING_S);
    expect(asked.use_expires_at).toBeNull();
    const { body: yes } = await approve(asked.id);
    expect(between(yes.approved_at, yes.use_expires_at)).toBe(USE_S);
    const { body: ran } = await send(token);
    expect(await getRun(ran.run_id)).toMatchObject({ ok: true, timeout_ms: 60_000 });
    const sign_in = { email: owner.email, password: owner.password, tenant_id };
    const { body: tokens } = await stack.call<{ expires_in: number }>('POST', '/v1/auth/token', { body: sign_in });
    expect(tokens.expires_in).toBe(900);
    await over('api_keys', key_id, 'expires_at');
    const { body: keys } = await stack.call<{ items: { id: string; expires_at: string | null }[] }>(
      'GET',
      '/v1/api-keys?limit=200',
      { token: owner.token },
    );
    expect(Date.parse(String(keys.items.find(({ id }) => id === key_id)?.expires_at))).toBeLessThan(Date.now());
  });

  it('of a run is the pack’s, else the operator’s', async () => {
    for (const [pack_id, timeout_ms] of [
      ['own', PACK_MS],
      ['ours', OPERATOR_MS],
    ] as const) {
      const { key: token } = await key();
      const send = callOf({ pack_id, seconds: 30 });
      await approve((await ask(send, token)).id);
      const { body } = await send(token);
      expect(body).toMatchObject({ code: 'timeout', error: `timed out after ${timeout_ms} ms` });
      expect(await getRun(body.run_id)).toMatchObject({ status: 'timed_out', timeout_ms });
    }
  });
});

describe('the end of', () => {
  it('a token ends no request, no yes and no run', async () => {
    const [first, second] = [await key(), await key()];
    const send = callOf({ seconds: 3, wait_ms: 0 });
    const asked = await ask(send, first.key);
    await over('api_keys', first.id, 'expires_at');
    expect(await send(first.key)).toMatchObject({ status: 401 });
    expect(await look(asked.id)).toMatchObject({ state: 'pending' });
    expect(await approve(asked.id)).toMatchObject({ status: 200, body: { state: 'approved' } });
    const { body: started } = await send(second.key);
    expect(started).toMatchObject({ code: 'still_running', approval_id: asked.id });
    await eventually('it runs', async () => (await getRun(started.run_id)).status === 'running');
    await over('api_keys', second.id, 'expires_at');
    expect((await send(second.key)).status).toBe(401);
    await eventually('it ended', async () => (await getRun(started.run_id)).status === 'succeeded');
  });

  it('the wait for a person ends a request, and no yes that came in time', async () => {
    const { key: token } = await key();
    const [late, in_time] = [callOf(), callOf()];
    const unanswered = await ask(late, token);
    await over('approvals', unanswered.id, 'pending_expires_at');
    expect(await approve(unanswered.id)).toMatchObject({ status: 409 });
    expect((await late(token)).body).toMatchObject({ code: 'confirm_required' });
    const answered = await ask(in_time, token);
    await approve(answered.id);
    await over('approvals', answered.id, 'pending_expires_at');
    expect((await in_time(token)).body).toMatchObject({ ok: true, approval_id: answered.id });
  });

  it('a yes ends no run that it started, and lets none start after it', async () => {
    const { key: token } = await key();
    const send = callOf({ seconds: 3, wait_ms: 0 });
    const asked = await ask(send, token);
    await approve(asked.id);
    const { body: started } = await send(token);
    await eventually('it runs', async () => (await getRun(started.run_id)).status === 'running');
    await over('approvals', asked.id, 'use_expires_at');
    await eventually('it ended', async () => (await getRun(started.run_id)).status === 'succeeded');
    const late = callOf();
    const unused = await ask(late, token);
    await approve(unused.id);
    await over('approvals', unused.id, 'use_expires_at');
    const { body } = await late(token);
    expect(body).toMatchObject({ code: 'confirm_required', run_id: null });
    expect(body.approval_id).not.toBe(unused.id);
    expect(await look(unused.id)).toMatchObject({ state: 'expired' });
  });
});

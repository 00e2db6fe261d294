import { randomUUID } from 'node:crypto';
import type { Approval, Run } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { eraseEnded } from '@hcp/runs';
import { makeAgent, makeGrant } from '@hcp/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packArchive } from '../../support/packs.js';
import { eventually } from '../../support/process.js';
import { install, keyFor, startStack, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';

/** How long arguments, results and cards are kept (SPEC R5). The clocks are moved by the database's hand. */

const HOUR_MS = 3_600_000;
const KEPT_MS = 24 * HOUR_MS;

let stack: Stack;
let tenant_id: string;
let owner: Person;
let agent: string;
let superuser: pg.Client;

const BIN = `#!/bin/sh
echo "{\\"said\\":\\"$2\\"}"; echo "heard $2" >&2; [ "$1" != fail ]
`;

beforeAll(async () => {
  // Its worker looks too seldom to come into what is tried by hand.
  stack = await startStack({ worker_env: { HCP_REAP_MS: '60000' } });
  superuser = new pg.Client({ connectionString: stack.database.superuser_url });
  await superuser.connect();
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  const args = { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] } as const;
  const command = (verb: string) => ({ description: 'Says it.', cli: ['say', verb, '{{value}}'], args });
  const asks = { operation: 'write', confirm: true, privacy: { land: 'public' } } as const;
  await install(
    stack,
    owner.token,
    await packArchive({
      pack_id: 'say',
      bin: BIN,
      commands: { it: command('it'), fail: command('fail'), loud: { ...command('loud'), policy: asks } },
    }),
  );
  const { db } = stack.database;
  const { id } = await makeAgent(db, tenant_id, { acts_for: owner.id });
  for (const capability of ['verb.exec.read', 'verb.exec.write'] as const)
    await makeGrant(db, tenant_id, id, capability);
  agent = (await keyFor(stack, tenant_id, id)).key;
}, 120_000);
afterAll(async () => {
  await superuser.end();
  await stack.stop();
});

async function exec(verb_key: string, value: string, more: object = {}): Promise<ResultEnvelope> {
  const body = { pack_id: 'say', verb_key, args: { value }, wait_ms: 60_000, ...more };
  return (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: agent, body })).body;
}

const ranOnce = async (value: string = randomUUID()): Promise<string> => String((await exec('it', value)).run_id);

async function asked(value: string = randomUUID()): Promise<string> {
  return String((await exec('loud', value)).approval_id);
}

const say = (word: 'approve' | 'reject', id: string) =>
  stack.call<Approval>('POST', `/v1/approvals/${id}/${word}`, { token: owner.token, body: {} });

/** A run by a person's yes, and that yes. */
async function approvedRun(): Promise<{ run: string; approval: string }> {
  const value = randomUUID();
  const approval = await asked(value);
  expect((await say('approve', approval)).status).toBe(200);
  const ran = await exec('loud', value);
  expect(ran).toMatchObject({ ok: true, approval_id: approval });
  return { run: String(ran.run_id), approval };
}

const ended = (table: 'runs' | 'approvals', id: string, hours: number) =>
  superuser.query(
    `update ${table} set ${table === 'runs' ? 'finished_at' : 'ended_at'} = clock_timestamp() - $2 * interval '1 hour'
     where id = $1`,
    [id, hours],
  );

/** Which of a row's sealed columns hold something. */
async function kept(table: 'runs' | 'approvals', id: string): Promise<boolean> {
  const columns = table === 'runs' ? 'num_nonnulls(args_enc, outcome_enc)' : 'num_nonnulls(sealed)';
  const { rows } = await superuser.query<{ kept: number; said: boolean }>(
    `select ${columns} as kept, ${table === 'runs' ? 'output_erased_at' : 'erased_at'} is not null as said
     from ${table} where id = $1`,
    [id],
  );
  const [row] = rows;
  expect(row?.said, 'the row says so exactly where it is so').toBe(row?.kept === 0);
  return row?.kept !== 0;
}

const getRun = async (id: string): Promise<Run> =>
  (await stack.call<Run>('GET', `/v1/runs/${id}`, { token: agent })).body;
const getApproval = async (id: string): Promise<Approval> =>
  (await stack.call<Approval>('GET', `/v1/approvals/${id}`, { token: agent })).body;
const erase = (): Promise<number> => eraseEnded(stack.database.db, KEPT_MS);

describe('the values of a run', () => {
  it('are erased a day after its end and not before; the run stays, and says so', async () => {
    const [early, late] = [await ranOnce(), await ranOnce('canary')];
    await ended('runs', early, 23.9);
    await ended('runs', late, 24.1);
    const before = await getRun(late);
    expect(before).toMatchObject({ result: { said: 'canary' }, stderr: 'heard canary\n', output_erased_at: null });
    await erase();
    expect([await kept('runs', early), await kept('runs', late)]).toEqual([true, false]);
    const { result, stdout, stderr, ...metadata } = before;
    expect([result, stdout, stderr]).not.toContain(undefined);
    const after = await getRun(late);
    expect(after).toEqual({ ...metadata, output_erased_at: expect.any(String) as string });
    expect(await getRun(early)).toMatchObject({
      output_erased_at: null,
      result: { said: expect.any(String) as string },
    });
  });

  it('are kept while it has not ended, however old it is', async () => {
    await stack.workers.at(-1)?.stop();
    const { run_id } = await exec('it', randomUUID(), { wait_ms: 0 });
    await superuser.query(`update runs set created_at = created_at - interval '9 days' where id = $1`, [run_id]);
    await erase();
    expect(await kept('runs', String(run_id))).toBe(true);
    await stack.startWorker();
    await eventually('it ended', async () => (await getRun(String(run_id))).status === 'succeeded');
  });

  it('are erased of one whose outcome is unknown, and of one that failed', async () => {
    const lost = await ranOnce();
    await superuser.query(
      `update runs set status = 'unknown', ok = false, code = 'outcome_unknown', outcome_enc = null where id = $1`,
      [lost],
    );
    const failed = String((await exec('fail', randomUUID())).run_id);
    for (const id of [lost, failed]) await ended('runs', id, 25);
    await erase();
    for (const id of [lost, failed]) expect(await kept('runs', id)).toBe(false);
    expect(await getRun(lost)).toMatchObject({ status: 'unknown', code: 'outcome_unknown' });
    expect(await getRun(failed)).toMatchObject({ status: 'failed', code: 'exit_nonzero', exit_code: 1 });
    expect(await getRun(failed)).not.toHaveProperty('error');
  });

  it('are kept until the approval that covers it has ended as long ago, and the other way round', async () => {
    const young_yes = await approvedRun();
    await ended('runs', young_yes.run, 48);
    await ended('approvals', young_yes.approval, 23);
    const young_run = await approvedRun();
    await ended('runs', young_run.run, 23);
    await ended('approvals', young_run.approval, 48);
    // Cancelled before it started: its yes may still let another run start.
    const waiting = { run: await ranOnce(), approval: await asked() };
    await superuser.query('update runs set approval_id = $2 where id = $1', [waiting.run, waiting.approval]);
    await ended('runs', waiting.run, 48);
    await erase();
    for (const { run, approval } of [young_yes, young_run, waiting]) {
      expect([await kept('runs', run), await kept('approvals', approval)]).toEqual([true, true]);
    }
    await ended('approvals', young_yes.approval, 25);
    await ended('runs', young_run.run, 25);
    await erase();
    for (const { run, approval } of [young_yes, young_run]) {
      expect([await kept('runs', run), await kept('approvals', approval)]).toEqual([false, false]);
      expect(await getApproval(approval)).toMatchObject({ state: 'consumed', run_id: run, card: null });
    }
    expect(await kept('runs', waiting.run)).toBe(true);
    expect((await say('approve', waiting.approval)).status).toBe(200);
  });

  it('are not told to a repeat of the call, which runs nothing and says why', async () => {
    const [key, value] = [randomUUID(), randomUUID()];
    const fields = { idempotency_key: key };
    const first = await exec('it', value, fields);
    expect(await exec('it', value, fields)).toEqual({ ...first, duration_ms: expect.any(Number) as number });
    await ended('runs', String(first.run_id), 25);
    await erase();
    const again = await exec('it', value, fields);
    expect(again).toMatchObject({ ok: true, run_id: first.run_id, result: null });
    expect(again).not.toHaveProperty('stdout');
    expect(again.hint).toContain('did not run again');
    expect(again.output_erased_at).toBe((await getRun(String(first.run_id))).output_erased_at);
    expect(await exec('it', randomUUID(), fields)).toMatchObject({ code: 'idempotency_conflict', run_id: null });
    expect(await getRun(String(first.run_id))).toMatchObject({ attempts: 1 });
  });
});

describe('the card of an approval that let nothing run', () => {
  it('is erased a day after its end; what it was about stays', async () => {
    const rejected = await asked('canary');
    expect((await say('reject', rejected)).status).toBe(200);
    const expired = await asked();
    await superuser.query(`update approvals set state = 'expired', ended_at = clock_timestamp() where id = $1`, [
      expired,
    ]);
    const young = await asked();
    expect((await say('reject', young)).status).toBe(200);
    const pending = await asked();
    await superuser.query(`update approvals set created_at = created_at - interval '9 days' where id = $1`, [pending]);
    await ended('approvals', young, 23.9);
    for (const id of [rejected, expired]) await ended('approvals', id, 24.1);
    await erase();
    for (const id of [young, pending]) expect(await kept('approvals', id)).toBe(true);
    for (const id of [rejected, expired]) expect(await kept('approvals', id)).toBe(false);
    expect(await getApproval(rejected)).toMatchObject({
      ...{ state: 'rejected', pack_id: 'say', verb_key: 'loud', arg_names: ['value'], reason_code: 'confirm' },
      ...{ card: null, erased_at: expect.any(String) as string, decisions: [{ decision: 'reject' }] },
    });
    const { body } = await stack.call<{ items: Approval[] }>('GET', '/v1/approvals?state=rejected', { token: agent });
    expect(JSON.stringify(body.items.find(({ id }) => id === rejected))).not.toContain('canary');
  });
});

describe('erasing', () => {
  it('is done by every worker at once, in every tenant, in batches, and once', async () => {
    const other = await tenantWithOwner(stack);
    const { db } = stack.database;
    const template = await ranOnce();
    await ended('runs', template, 30);
    const columns = (
      await superuser.query<{ name: string }>(
        `select string_agg(quote_ident(column_name), ', ') as name from information_schema.columns
         where table_name = 'runs' and column_name not in ('id', 'tenant_id', 'approval_id', 'principal_id', 'acts_for', 'pack_version_id', 'pack_tenant_id')`,
      )
    ).rows[0]?.name;
    const me = (await superuser.query<{ id: string }>('select principal_id as id from runs where id = $1', [template]))
      .rows[0]?.id;
    for (const [tenant, principal] of [
      [tenant_id, me],
      [other.tenant_id, other.owner.id],
    ]) {
      await superuser.query(
        `insert into runs (id, tenant_id, principal_id, ${columns})
         select gen_random_uuid(), $2, $3, ${columns} from runs, generate_series(1, 300) where id = $1`,
        [template, tenant, principal],
      );
    }
    const counts = await Promise.all([1, 2, 3].map(() => eraseEnded(db, KEPT_MS)));
    const rest = await erase();
    expect(counts.reduce((sum, count) => sum + count, 0) + rest).toBe(601);
    const { rows } = await superuser.query(
      `select count(*)::int as left from runs where finished_at < now() - interval '24 hours'
       and num_nonnulls(args_enc, outcome_enc) > 0 and approval_id is null`,
    );
    expect(rows).toEqual([{ left: 0 }]);
  });

  it('is what a worker does, as long as its operator set', async () => {
    const id = await ranOnce();
    await ended('runs', id, 0.5);
    await erase();
    expect(await kept('runs', id)).toBe(true);
    const worker = await stack.startWorker({ HCP_REAP_MS: '300', HCP_OUTPUT_RETENTION_MS: '1000000' });
    await eventually('it is erased', async () => !(await kept('runs', id)));
    await worker.stop();
  });
});

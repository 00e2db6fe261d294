import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Approval } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { openQueue } from '@hcp/queue';
import { makeAgent, makeGrant, makeService } from '@hcp/testing';
import { Workspaces } from '@hcp/workspaces';
import { call } from '../support/http.js';
import { archiveOf, packArchive } from '../support/packs.js';
import { eventually } from '../support/process.js';
import { install, keyFor, signedIn, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** Approvals end to end, on two API replicas and workers that die (SPEC V; CASES 1, 3, 14). */

const LEDGER = fileURLToPath(new URL('../../examples/packs/ledger', import.meta.url));

/** Leaves a line for each start, then waits. */
const BIN = `#!/usr/bin/env node
const { appendFileSync, readFileSync, existsSync, writeFileSync } = require('node:fs');
const [verb, value, ms] = process.argv.slice(2);
if (verb === 'count') {
  const lines = existsSync('starts') ? readFileSync('starts', 'utf8').split('\\n') : [];
  console.log(JSON.stringify({ count: lines.filter((line) => line === value).length }));
} else if (verb === 'put') {
  writeFileSync('letter.txt', value);
  console.log('{}');
} else {
  appendFileSync('starts', value + '\\n');
  setTimeout(() => console.log('{"done":true}'), Number(ms ?? 0));
}
`;
const args = {
  type: 'object',
  properties: { value: { type: 'string', description: 'What it is about.' }, ms: { type: 'number' } },
  required: ['value'],
} as const;

let stack: Stack;
let tenant_id: string;
let owner: Person;
let approver: Person;
let agent: string;
let agent_id: string;

const slow = (version: string) =>
  packArchive({
    pack_id: 'slow',
    version,
    bin: BIN,
    binding: { family: 'local' },
    wrap: { workspace: { mode: 'workspace' } },
    commands: {
      go: {
        description: 'Goes slowly.',
        cli: ['slow', 'go', '{{value}}', '{{ms}}'],
        args,
        preview: { kind: 'change', title: 'Go {{value}}', fields: { value: '{{value}}' } },
        policy: { operation: 'write', confirm: true, privacy: { land: 'personal' } },
      },
      put: {
        description: 'Writes a letter.',
        cli: ['slow', 'put', '{{value}}'],
        args,
        policy: { privacy: { land: 'personal' } },
      },
      count: {
        description: 'Counts.',
        cli: ['slow', 'count', '{{value}}'],
        args,
        policy: { privacy: { land: 'personal' } },
      },
    },
  });

beforeAll(async () => {
  stack = await startStack({ apis: 2, worker_env: { HCP_LEASE_MS: '2000', HCP_REAP_MS: '300' } });
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  approver = await signedIn(stack, tenant_id, 'approver');
  await install(stack, owner.token, await archiveOf(LEDGER));
  await install(stack, owner.token, await slow('1.0.0'));
  const { db } = stack.database;
  const { id } = await makeAgent(db, tenant_id, { acts_for: owner.id });
  for (const capability of ['verb.exec.read', 'verb.exec.write'] as const) {
    await makeGrant(db, tenant_id, id, capability);
  }
  agent_id = id;
  agent = (await keyFor(stack, tenant_id, id)).key;
}, 120_000);
afterAll(() => stack.stop());

interface More {
  readonly token?: string;
  readonly replica?: number;
  readonly headers?: Record<string, string>;
  readonly fields?: object;
}

async function exec(name: string, args: object, { token = agent, replica = 0, headers, fields }: More = {}) {
  const [pack_id, verb_key] = name.split('.');
  const body = { pack_id, verb_key, args, wait_ms: 60_000, ...fields };
  const answer = await call<ResultEnvelope>(stack.urls[replica] ?? '', 'POST', '/v1/exec', { token, headers, body });
  expect(answer.status).toBe(200);
  return answer.body;
}

const approve = (id: string | undefined, body: object = {}, { token } = approver, replica = 1) =>
  call<Approval>(stack.urls[replica] ?? '', 'POST', `/v1/approvals/${String(id)}/approve`, { token, body });

const look = async (id: string | undefined, token = agent): Promise<Approval> =>
  (await stack.call<Approval>('GET', `/v1/approvals/${String(id)}`, { token })).body;

const count = async (value: string): Promise<unknown> => (await exec('slow.count', { value })).result;

async function asked(name: string, args: object, more?: More): Promise<ResultEnvelope> {
  const answer = await exec(name, args, more);
  expect(answer).toMatchObject({ ok: false, code: 'confirm_required', run_id: null });
  expect(answer.approval_id).toBeTruthy();
  return answer;
}

async function approved(name: string, args: object, more?: More): Promise<string> {
  const { approval_id } = await asked(name, args, more);
  expect(await approve(approval_id)).toMatchObject({ status: 200, body: { state: 'approved' } });
  return String(approval_id);
}

describe('the ledger’s transfer', () => {
  const pay = { amount: '2.80', payee: 'demo-transit' };

  it('asks with the card, runs once after a person’s yes, and asks again', async () => {
    const first = await asked('ledger.transfer', pay);
    expect(first).toMatchObject({
      preview: { command: 'transfer', args: pay, cli: 'ledger transfer 2.80 --to demo-transit --confirm' },
      access: { mode: 'auto', reason: 'Policy confirm "always": every mode asks', approvals: 'human' },
      approval: {
        pack_name: 'Ledger',
        command: 'transfer',
        operation: 'write',
        confirm: 'always',
        reason_code: 'confirm_always',
        args: [{ name: 'amount', value: '2.80' }, { name: 'payee' }],
        view: { kind: 'payment', title: 'Pay demo-transit', signals: [{ text: 'Moves money' }] },
        options: [{ kind: 'allow_once' }, { kind: 'deny' }],
        approval_id: first.approval_id,
      },
    });
    expect((await asked('ledger.transfer', pay, { replica: 1 })).approval_id).toBe(first.approval_id);
    const yes = await approve(first.approval_id);
    expect(yes).toMatchObject({ status: 200, body: { state: 'approved', decisions: [{ principal_id: approver.id }] } });
    const ran = await exec('ledger.transfer', pay);
    expect(ran).toMatchObject({ ok: true, approval_id: first.approval_id });
    expect(await look(first.approval_id)).toMatchObject({ state: 'consumed', run_id: ran.run_id });
    expect((await asked('ledger.transfer', pay)).approval_id).not.toBe(first.approval_id);
  });

  it('needs another yes for another cent, and keeps the first', async () => {
    const id = await approved('ledger.transfer', { ...pay, memo: 'a' });
    const other = await asked('ledger.transfer', { ...pay, memo: 'a', amount: '2.81' });
    expect(other.approval_id).not.toBe(id);
    expect((await asked('ledger.transfer', { ...pay, memo: 'b' })).approval_id).not.toBe(id);
    expect(
      (await asked('ledger.transfer', { ...pay, memo: 'a' }, { headers: { 'hcp-mode': 'manual' } })).approval_id,
    ).not.toBe(id);
    expect((await asked('ledger.transfer', { ...pay, memo: 'a', mode: 'mock' })).approval_id).not.toBe(id);
    expect(await exec('ledger.transfer', { ...pay, memo: 'a' })).toMatchObject({ ok: true, approval_id: id });
  });
});

describe('one approval', () => {
  it('covers one run, however many calls come at once through two replicas', async () => {
    const value = randomUUID();
    const id = await approved('slow.go', { value });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => exec('slow.go', { value }, { replica: index % 2 })),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(answers.filter(({ ok }) => !ok).map(({ code }) => code)).toEqual(Array(19).fill('confirm_required'));
    expect(new Set(answers.filter(({ ok }) => !ok).map((each) => each.approval_id)).size).toBe(1);
    expect(await look(id)).toMatchObject({ state: 'consumed' });
    expect(await count(value)).toEqual({ count: 1 });
  }, 60_000);

  it('is not given back where its worker was killed, and the run is not started again', async () => {
    const value = randomUUID();
    const id = await approved('slow.go', { value, ms: 60_000 });
    const { run_id } = await exec('slow.go', { value, ms: 60_000 }, { fields: { wait_ms: 0 } });
    // Looked at from outside: the workspace is the run's as long as it holds it.
    const owner = { tenant_id, principal_id: agent_id, pack_id: 'slow', project_id: null };
    const workspace = new Workspaces(join(stack.data_dir, 'workspaces')).of(owner, 'workspace');
    const starts = join(String(workspace?.dir), 'starts');
    await eventually('it runs', async () => (await readFile(starts, 'utf8').catch(() => '')).includes(value));
    expect(await look(id)).toMatchObject({ state: 'consumed', run_id });
    stack.workers.at(-1)?.kill('SIGKILL');
    await stack.startWorker();
    await eventually('it ended', async () => (await run(run_id)).status === 'unknown', 30_000);
    expect(await look(id)).toMatchObject({ state: 'consumed', run_id });
    expect((await asked('slow.go', { value, ms: 60_000 })).approval_id).not.toBe(id);
    expect(await count(value)).toEqual({ count: 1 });
  }, 90_000);

  it('runs once where the worker restarts and the job comes again', async () => {
    const value = randomUUID();
    await approved('slow.go', { value });
    await stack.workers.at(-1)?.stop();
    const { run_id } = await exec('slow.go', { value }, { fields: { wait_ms: 0 } });
    const queue = openQueue(stack.backend);
    const job = { tenant_id, run_id: String(run_id) };
    await queue.enqueue(job);
    await stack.startWorker();
    await eventually('it ended', async () => (await run(run_id)).status === 'succeeded', 30_000);
    await queue.enqueue(job);
    await queue.close();
    expect(await count(value)).toEqual({ count: 1 });
  }, 90_000);

  it.each(['was rejected', 'ran out'])(
    'does not start a run where it %s while the run waited',
    async (what) => {
      const value = randomUUID();
      const id = await approved('slow.go', { value });
      await stack.workers.at(-1)?.stop();
      const { run_id } = await exec('slow.go', { value }, { fields: { wait_ms: 0 } });
      if (what === 'was rejected') {
        const no = await stack.call('POST', `/v1/approvals/${id}/reject`, { token: owner.token, body: {} });
        expect(no).toMatchObject({ status: 200, body: { state: 'rejected' } });
      } else {
        const past = new Date(Date.now() - 1000);
        await stack.database.db.tenant(tenant_id, (tx) =>
          tx.approval.updateMany({ where: { tenant_id, id }, data: { use_expires_at: past } }),
        );
      }
      await stack.startWorker();
      const ended = await eventually(
        'it ended',
        async () => ((await run(run_id)).status === 'failed' ? run(run_id) : null),
        30_000,
      );
      expect(ended).toMatchObject({ code: 'confirm_required' });
      expect(await count(value)).toEqual({ count: 0 });
    },
    90_000,
  );

  it('is remembered by the key of its call once that became a run, and not before', async () => {
    const value = randomUUID();
    const fields = { idempotency_key: value };
    const { approval_id } = await asked('slow.go', { value }, { fields });
    expect((await asked('slow.go', { value }, { fields })).approval_id).toBe(approval_id);
    expect((await approve(approval_id)).status).toBe(200);
    const [first, second] = await Promise.all([0, 1].map((replica) => exec('slow.go', { value }, { replica, fields })));
    expect(first).toMatchObject({ ok: true, approval_id });
    expect(second).toMatchObject({ ok: true, run_id: first?.run_id });
    expect(await count(value)).toEqual({ count: 1 });
  });

  it('is for the file as it was', async () => {
    const value = 'letter.txt';
    await exec('slow.put', { value: 'Dear all' });
    const id = await approved('slow.go', { value });
    await exec('slow.put', { value: 'Dear nobody' });
    expect((await asked('slow.go', { value })).approval_id).not.toBe(id);
    await exec('slow.put', { value: 'Dear all' });
    expect(await exec('slow.go', { value })).toMatchObject({ ok: true, approval_id: id });
  });

  it.each(['/proc/self/cwd/letter.txt', 'x/../letter.txt', 'text=@letter.txt'])(
    'is for the file as it was, by whatever name: %s',
    async (value) => {
      await exec('slow.put', { value: 'Dear all' });
      const id = await approved('slow.go', { value });
      await exec('slow.put', { value: 'Dear nobody' });
      expect((await asked('slow.go', { value })).approval_id).not.toBe(id);
    },
  );

  it('is for the version of the pack as it was', async () => {
    const value = randomUUID();
    const id = await approved('slow.go', { value });
    await install(stack, owner.token, await slow('1.0.1'));
    expect((await asked('slow.go', { value })).approval_id).not.toBe(id);
    const back = { token: owner.token, body: { version: '1.0.0' } };
    expect((await stack.call('PUT', '/v1/packs/slow/activation', back)).status).toBeLessThan(300);
    expect(await exec('slow.go', { value })).toMatchObject({ ok: true, approval_id: id });
  });

  it('starts its run itself where that was asked for', async () => {
    const value = randomUUID();
    const { approval_id } = await asked('slow.go', { value }, { fields: { run_on_approve: true } });
    const { body } = await approve(approval_id);
    expect(body).toMatchObject({ state: 'approved', run_on_approve: true });
    await eventually('it ended', async () => (await run(body.run_id)).status === 'succeeded', 30_000);
    expect(await look(approval_id)).toMatchObject({ state: 'consumed', run_id: body.run_id });
    expect(await count(value)).toEqual({ count: 1 });
  }, 60_000);

  it('starts nothing where the requester may not any more', async () => {
    const { db } = stack.database;
    const { id } = await makeAgent(db, tenant_id, { acts_for: owner.id });
    const grant = await makeGrant(db, tenant_id, id, 'verb.exec.write');
    const { key: token } = await keyFor(stack, tenant_id, id);
    const value = randomUUID();
    const { approval_id } = await asked('slow.go', { value }, { token, fields: { run_on_approve: true } });
    expect((await stack.call('DELETE', `/v1/grants/${grant.id}`, { token: owner.token })).status).toBe(204);
    expect(await approve(approval_id)).toMatchObject({ status: 200, body: { state: 'approved', run_id: null } });
    expect(await count(value)).toEqual({ count: 0 });
  });
});

describe('a service’s own record of a yes', () => {
  it('counts from one that may attest, once; from anyone else it is refused', async () => {
    const { db } = stack.database;
    const { id } = await makeService(db, tenant_id);
    await makeGrant(db, tenant_id, id, 'verb.exec.write');
    const { key: token } = await keyFor(stack, tenant_id, id);
    const value = randomUUID();
    const fields = { approval: { by: 'human', id: `ui-${value}` } };
    for (const who of [token, agent, owner.token]) {
      expect(await exec('slow.go', { value }, { token: who, fields })).toMatchObject({ code: 'human_only' });
    }
    await makeGrant(db, tenant_id, id, 'approval.attest');
    const ran = await exec('slow.go', { value }, { token, fields });
    expect(ran).toMatchObject({ ok: true });
    expect(await exec('slow.go', { value }, { token, fields })).toMatchObject({ code: 'confirm_required' });
    const { body } = await stack.call<{ items: { run_id: string; action: string }[] }>('GET', '/v1/audit?limit=50', {
      token: owner.token,
    });
    const event = body.items.find((each) => each.run_id === ran.run_id && each.action === 'exec.decision');
    expect(event).toMatchObject({ approved_by: 'human', details: { attested: true, approval_id: `ui-${value}` } });
  });
});

async function run(id: string | null): Promise<Record<string, unknown>> {
  return (await stack.call('GET', `/v1/runs/${String(id)}`, { token: owner.token })).body;
}

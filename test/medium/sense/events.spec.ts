import type { Caller, Grant } from '@hcp/core';
import {
  clear,
  credentialMended,
  credentialStale,
  listSense,
  raise,
  seenSense,
  SourceScheduler,
  type LookDeps,
  type Raised,
} from '@hcp/sense';
import { createTestDatabase, makeHuman, makeProject, makeTenant, type TestDatabase } from '@hcp/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';

/** Sense events in the database: raised once, counted, cleared, seen by those whom they are for (SPEC N1). */

let test: TestDatabase;
let tenant_id: string;
let person: string;
let deps: LookDeps;

beforeAll(async () => {
  test = await createTestDatabase();
  deps = { db: test.db, approvals: () => Promise.resolve([]) };
});
afterAll(() => test.close());
beforeEach(async () => {
  ({ id: tenant_id } = await makeTenant(test.db));
  ({ id: person } = await makeHuman(test.db, tenant_id));
});

const fields = (more: Partial<Raised> = {}): Raised => ({
  tenant_id,
  kind: 'pack_unavailable',
  severity: 'error',
  subject: 'pack:ledger',
  message: 'It does not start.',
  dedupe_key: 'one',
  pack_id: 'ledger',
  ...more,
});
const raised = (more: Partial<Raised> = {}) => test.db.tenant(tenant_id, (tx) => raise(tx, fields(more)));
const cleared = (dedupe_key = 'one') => test.db.tenant(tenant_id, (tx) => clear(tx, { tenant_id, dedupe_key }));
const rows = () => test.db.tenant(tenant_id, (tx) => tx.senseEvent.findMany({ orderBy: { id: 'asc' } }));
const told = async () =>
  (await test.db.tenant(tenant_id, (tx) => tx.tenantEvent.findMany({ orderBy: { seq: 'asc' } }))).map(
    ({ type, state }) => `${type} ${state}`,
  );

function callerOf(id: string, grants: Grant[], change: Partial<Caller> = {}): Caller {
  return {
    tenant_id,
    principal: { id, kind: 'human' },
    name: 'x',
    acts_for: null,
    is_agent: false,
    settings_epoch: 0n,
    platform: false,
    session: { id: randomUUID(), interactive: true, api_key_id: null, project_id: null, packs: null },
    authority: { layers: [grants], member_of: [] },
    ...change,
  };
}
const sees = async (caller: Caller) => {
  const { items } = await listSense(deps, caller, { open: '0' }, new Date());
  // What is told to followers is what the list shows.
  const ids = (await rows()).map(({ id }) => id);
  const heard = await test.db.tenant(tenant_id, (tx) => seenSense(tx, deps.approvals, caller, ids, new Date()));
  expect(heard.map(({ id }) => id).sort()).toEqual(items.map(({ id }) => id).sort());
  const open = await listSense(deps, caller, {}, new Date());
  return open.items.map(({ kind }) => kind);
};

it('is raised once, counts what is seen again, and tells of news alone', async () => {
  await raised();
  await raised();
  expect(await rows()).toMatchObject([{ count: 2, cleared_at: null }]);
  expect(await told()).toEqual(['sense.changed open']);
  await raised({ severity: 'info' });
  await cleared();
  await cleared();
  expect(await told()).toEqual(['sense.changed open', 'sense.changed open', 'sense.changed cleared']);
  await raised();
  expect((await rows()).map(({ count, cleared_at }) => [count, cleared_at === null])).toEqual([
    [3, false],
    [1, true],
  ]);
});

it('is one event, however many see it at the same moment', async () => {
  await Promise.all(Array.from({ length: 12 }, () => raised()));
  expect(await rows()).toMatchObject([{ count: 12 }]);
  expect((await told()).filter((word) => word === 'sense.changed open')).toHaveLength(1);
});

it('goes with what it is written with', async () => {
  const failing = test.db.tenant(tenant_id, async (tx) => {
    await raise(tx, fields());
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await rows()).toEqual([]);
  expect(await told()).toEqual([]);
});

it('goes to the endpoints that asked for it, without its message', async () => {
  const webhook = { tenant_id, url: 'https://example.com', description: '', secret_enc: Buffer.from('x') };
  await test.db.tenant(tenant_id, (tx) =>
    tx.webhook.createMany({
      data: [
        { ...webhook, id: randomUUID(), events: ['sense.raised'], pack_ids: [], created_by: person },
        { ...webhook, id: randomUUID(), events: ['run.finished'], pack_ids: [], created_by: person },
      ],
    }),
  );
  await raised();
  await raised();
  await cleared();
  const sent = await test.db.tenant(tenant_id, (tx) => tx.webhookDelivery.findMany());
  expect(sent.map(({ type }) => type)).toEqual(['sense.raised']);
  const [id] = (await rows()).map((row) => row.id);
  expect(JSON.parse(sent[0]?.payload ?? '')).toMatchObject({
    type: 'sense.raised',
    data: { sense_id: id, kind: 'pack_unavailable', severity: 'error', pack_id: 'ledger', principal_id: null },
  });
  expect(sent[0]?.payload).not.toContain('It does not start');
});

describe('is seen', () => {
  const fact = (principal_id: string | null) => ({
    ...{ tenant_id, id: randomUUID(), pack_id: 'ledger', family: 'user', project_id: null, reason: 'expired' },
    principal_id,
  });
  const read: Grant = { capability: 'verb.exec.read' };

  it("by nobody else, where it is a person's own: not by who reads runs, not by who manages bindings", async () => {
    const own = fact(person);
    await test.db.tenant(tenant_id, (tx) => credentialStale(tx, own));
    const { id: other } = await makeHuman(test.db, tenant_id);
    const everything: Grant[] = ['run.read', 'binding.manage', 'verb.exec.read', 'sense.enable'].map((capability) => ({
      capability: capability as Grant['capability'],
    }));
    expect(await sees(callerOf(other, everything))).toEqual([]);
    expect(await sees(callerOf(person, [read]))).toEqual(['credential_stale']);
    expect(await sees(callerOf(other, [read], { acts_for: person }))).toEqual(['credential_stale']);
    // Without any right to the pack, or from a session that does not reach it.
    expect(await sees(callerOf(person, [{ ...read, pack_id: 'notes' }]))).toEqual([]);
    const session = { id: 's', interactive: true, api_key_id: null, project_id: null, packs: ['notes'] };
    expect(await sees(callerOf(person, [read], { session }))).toEqual([]);
    await test.db.tenant(tenant_id, (tx) => credentialMended(tx, own));
    expect(await sees(callerOf(person, [read]))).toEqual([]);
  });

  it('by who manages it, where it is shared', async () => {
    await test.db.tenant(tenant_id, (tx) => credentialStale(tx, fact(null)));
    expect(await sees(callerOf(person, [read]))).toEqual([]);
    expect(await sees(callerOf(person, [{ capability: 'binding.manage', pack_id: 'notes' }]))).toEqual([]);
    expect(await sees(callerOf(person, [{ capability: 'binding.manage', pack_id: 'ledger' }]))).toEqual([
      'credential_stale',
    ]);
  });

  it('by members alone, where it is of a project, or who reads its runs', async () => {
    const { id: project_id } = await makeProject(test.db, tenant_id, []);
    const source = await test.db.tenant(tenant_id, (tx) =>
      tx.senseSource.create({
        data: {
          ...{ tenant_id, id: randomUUID(), pack_id: 'ledger', project_id, every_s: 60, enabled: true },
          ...{ principal_id: person, session_id: randomUUID(), next_at: new Date() },
        },
      }),
    );
    await raised({ kind: 'disk_low', project_id, source: { id: source.id, verb_key: 'look' } });
    expect(await sees(callerOf(person, [read]))).toEqual([]);
    const member = { authority: { layers: [[read]], member_of: [project_id] } };
    expect(await sees(callerOf(person, [read], member))).toEqual(['disk_low']);
    expect(await sees(callerOf(person, [{ capability: 'run.read', project_id }]))).toEqual(['disk_low']);
  });

  it('in its own tenant alone', async () => {
    await raised();
    const reader = callerOf(person, [{ capability: 'run.read' }]);
    expect(await sees(reader)).toEqual(['pack_unavailable']);
    const { id: other } = await makeTenant(test.db);
    const { items } = await listSense(deps, { ...reader, tenant_id: other }, {}, new Date());
    expect(items).toEqual([]);
  });
});

it('is looked for once a tick, by any number of workers', async () => {
  await test.db.tenant(tenant_id, (tx) =>
    tx.senseSource.create({
      data: {
        ...{ tenant_id, id: randomUUID(), pack_id: 'ledger', every_s: 60, enabled: true },
        ...{ principal_id: person, session_id: randomUUID(), next_at: new Date() },
      },
    }),
  );
  const started: string[] = [];
  const scheduler = () =>
    new SourceScheduler({
      db: test.db,
      looker: () => Promise.resolve({ ok: true, caller: callerOf(person, [{ capability: 'sense.enable' }]) }),
      commands: () => Promise.resolve(['look']),
      start: (_tx, _caller, { verb_key }) => Promise.resolve({ ok: true, run_id: verb_key }),
      enqueue: (tenant, run_id) => {
        if (tenant === tenant_id) started.push(run_id);
        return Promise.resolve();
      },
      onError: (error) => {
        throw error;
      },
    });
  await Promise.all(Array.from({ length: 8 }, () => scheduler().look()));
  await scheduler().look();
  expect(started).toEqual(['look']);
});

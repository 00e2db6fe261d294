import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  appendAudit,
  currentCheckpoint,
  exportLog,
  placeEvents,
  placeWaiting,
  proveConsistency,
  proveEvent,
  readEvent,
  type ExportRequest,
  type LogDeps,
} from '@hcp/audit';
import { eventHash, fromBase64, leafText, toBase64, verifyConsistency, verifyInclusion } from '@hcp/core';
import { Database, Prisma } from '@hcp/database';
import { createTestDatabase, makeTenant, type TestDatabase } from '@hcp/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logOf, nodeCrypto, verified } from '../../support/audit.js';

/** SPEC U3: one dense log for each tenant, whoever writes at once, and it can be verified whole and in parts. */
let test: TestDatabase;
let superuser: pg.Client;
let log: LogDeps;

beforeAll(async () => {
  test = await createTestDatabase();
  superuser = new pg.Client({ connectionString: test.superuser_url });
  await superuser.connect();
  log = logOf(test.db);
}, 120_000);
afterAll(async () => {
  await superuser.end();
  await test.close();
});

const write = (tenant_id: string, more: object = {}): Promise<string> =>
  test.db.tenant(tenant_id, (tx) => appendAudit(tx, { tenant_id, action: 'role.create', decision: 'allow', ...more }));

async function logged(count: number, more: (index: number) => object = () => ({})): Promise<string> {
  const { id } = await makeTenant(test.db);
  for (let index = 0; index < count; index += 1) await write(id, more(index));
  return id;
}

const leavesOf = (tenant_id: string) =>
  test.db.tenant(tenant_id, (tx) => tx.auditLeaf.findMany({ where: { tenant_id }, orderBy: { index: 'asc' } }));

async function textOf(tenant_id: string, request: ExportRequest = {}, deps = log): Promise<string> {
  let text = '';
  for await (const piece of exportLog(deps, tenant_id, request, () => new Date())) text += piece;
  return text;
}
const keyOf = async (tenant_id: string): Promise<string> => (await currentCheckpoint(log, tenant_id, new Date())).key;
const bytes = (text: string): Uint8Array => fromBase64(text) ?? new Uint8Array();

describe('a log', () => {
  it('is dense after a thousand events of parallel transactions, whoever places them at once', async () => {
    const { id: tenant_id } = await makeTenant(test.db);
    const others = await Promise.all([1, 2].map(() => logged(3)));
    const second = new Database({ url: test.app_url, max: 5 });
    let writing = true;
    const placer = async (db: Database): Promise<void> => {
      while (writing) {
        await placeWaiting(db);
        await delay(20);
      }
    };
    const workers = [placer(test.db), placer(second), placer(second)];
    const written = new Set<string>();
    for (let round = 0; round < 10; round += 1) {
      const ids = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          test.db.tenant(tenant_id, async (tx) => {
            const first = await appendAudit(tx, { tenant_id, action: 'exec.decision' });
            if (index % 10 === 0) await placeEvents(second, tenant_id);
            return [first, await appendAudit(tx, { tenant_id, action: 'exec.completion' })];
          }),
        ),
      );
      for (const id of ids.flat()) written.add(id);
    }
    writing = false;
    await Promise.all(workers);
    await placeEvents(second, tenant_id);
    await second.close();
    const leaves = await leavesOf(tenant_id);
    expect(leaves.map(({ index }) => Number(index))).toEqual(Array.from({ length: 1000 }, (_, index) => index));
    expect(new Set(leaves.map(({ event_id }) => event_id))).toEqual(written);
    expect(await verified(await textOf(tenant_id), await keyOf(tenant_id))).toMatchObject({ ok: true, shown: 1000 });
    for (const other of others) expect(await leavesOf(other)).toHaveLength(3);
    const { rows } = await superuser.query('SELECT FROM audit_pending');
    expect(rows).toEqual([]);
  });

  it('is never behind what has committed, however long another transaction stays open', async () => {
    const tenant_id = await logged(1);
    let commit = (): void => undefined;
    let written = (): void => undefined;
    const begun = new Promise<void>((resolve) => (written = resolve));
    const slow = test.db.tenant(tenant_id, async (tx) => {
      await appendAudit(tx, { tenant_id, action: 'slow' });
      written();
      await new Promise<void>((resolve) => (commit = resolve));
    });
    await begun;
    const quick = await write(tenant_id, { action: 'quick' });
    const proof = await proveEvent(log, tenant_id, quick, new Date());
    expect(proof).toMatchObject({ index: 1, checkpoint: { size: 2 } });
    commit();
    await slow;
    expect(await currentCheckpoint(log, tenant_id, new Date())).toMatchObject({ size: 3 });
  });

  it('has nothing of what was rolled back', async () => {
    const tenant_id = await logged(2);
    const failed = test.db.tenant(tenant_id, async (tx) => {
      await appendAudit(tx, { tenant_id, action: 'never' });
      throw new Error('stop');
    });
    await expect(failed).rejects.toThrow('stop');
    expect(await currentCheckpoint(log, tenant_id, new Date())).toMatchObject({ size: 2 });
  });

  it('proves every event, by the event as it is read, and how it grew', async () => {
    const tenant_id = await logged(7);
    const before = await currentCheckpoint(log, tenant_id, new Date());
    for (let index = 0; index < 6; index += 1) await write(tenant_id, { details: { index, of: [null, 0.5, 'ü'] } });
    for (const { event_id } of await leavesOf(tenant_id)) {
      const proof = await proveEvent(log, tenant_id, event_id, new Date());
      const event = await test.db.tenant(tenant_id, (tx) => readEvent(tx, tenant_id, event_id));
      if (!proof || !event) throw new Error('no such event');
      // As it is after a way through JSON.
      const hash = await eventHash(nodeCrypto.sha256, JSON.parse(JSON.stringify(event)) as Record<string, unknown>);
      expect(toBase64(hash)).toBe(proof.leaf);
      const { size, root } = proof.checkpoint;
      const shown = { index: proof.index, size, path: proof.path.map(bytes) };
      expect(await verifyInclusion(nodeCrypto.sha256, hash, shown, bytes(root))).toBe(true);
    }
    const grown = await proveConsistency(log, tenant_id, { from: before.size });
    if (!grown) throw new Error('no proof');
    expect(grown).toMatchObject({ from: 7, to: 13, from_root: before.root });
    const [older, newer] = [
      { size: 7, root: bytes(before.root) },
      { size: 13, root: bytes(grown.to_root) },
    ];
    expect(await verifyConsistency(nodeCrypto.sha256, older, newer, grown.path.map(bytes))).toBe(true);
    for (const from of [14, 1000]) expect(await proveConsistency(log, tenant_id, { from })).toBeNull();
    expect(await proveConsistency(log, tenant_id, { from: 1, to: 14 })).toBeNull();
  });

  it('of a tenant without events is empty, and verifies', async () => {
    const { id } = await makeTenant(test.db);
    expect(await currentCheckpoint(log, id, new Date())).toMatchObject({ size: 0 });
    expect(await verified(await textOf(id), await keyOf(id))).toMatchObject({ ok: true, shown: 0 });
    expect(await proveEvent(log, id, randomUUID(), new Date())).toBeNull();
  });

  it('keeps its places whoever would change them', async () => {
    const tenant_id = await logged(2);
    await placeEvents(test.db, tenant_id);
    for (const table of ['audit_leaves', 'audit_nodes', 'audit_pending']) {
      for (const act of ['DELETE FROM', 'TRUNCATE']) {
        const change = Prisma.raw(`${act} ${table}`);
        await expect(test.db.tenant(tenant_id, (tx) => tx.$executeRaw(Prisma.sql`${change}`))).rejects.toThrow(
          /permission denied/,
        );
      }
      const change = Prisma.raw(`UPDATE ${table} SET tenant_id = tenant_id`);
      await expect(test.db.tenant(tenant_id, (tx) => tx.$executeRaw(Prisma.sql`${change}`))).rejects.toThrow(
        /permission denied/,
      );
    }
    const forged = { tenant_id, event_id: randomUUID() };
    await expect(test.db.tenant(tenant_id, (tx) => tx.auditPending.create({ data: forged }))).rejects.toThrow();
  });
});

describe('an export', () => {
  it('of any part of it verifies against the whole', async () => {
    const principal_id = randomUUID();
    const tenant_id = await logged(70, (index) => (index % 9 === 4 ? { principal_id, action: 'mine' } : {}));
    const key = await keyOf(tenant_id);
    expect(await verified(await textOf(tenant_id), key)).toMatchObject({ ok: true, shown: 70, withheld: 0 });
    const parts: [ExportRequest, number][] = [
      [{ principal_id }, 8],
      [{ action: 'mine', start: 20 }, 6],
      [{ start: 13, end: 57 }, 44],
      [{ start: 69 }, 1],
      [{ end: 1 }, 1],
      [{ start: 70 }, 0],
      [{ start: 500 }, 0],
      [{ decision: 'deny' }, 0],
      [{ since: '2000-01-01T00:00:00Z', until: '2000-01-02T00:00:00Z' }, 0],
      [{ since: '2000-01-01T00:00:00Z' }, 70],
    ];
    for (const [request, shown] of parts) {
      const text = await textOf(tenant_id, request);
      expect(await verified(text, key, { partial: true }), JSON.stringify(request)).toMatchObject({
        ok: true,
        checkpoint: { size: 70 },
        shown,
      });
      if (shown < 70) expect(await verified(text, key)).toMatchObject({ problem: { kind: 'withheld' } });
    }
  });

  it('comes in pieces, and each only when it is asked for', async () => {
    const tenant_id = await logged(1);
    await test.db.tenant(tenant_id, async (tx) => {
      for (let index = 0; index < 1100; index += 1) await appendAudit(tx, { tenant_id, action: 'role.create' });
    });
    const pieces = exportLog(log, tenant_id, {}, () => new Date());
    const first = await pieces.next();
    // What comes later is not in it: its size was fixed when it began.
    await write(tenant_id, { action: 'later' });
    let text = String(first.value);
    let count = 1;
    for await (const piece of pieces) {
      text += piece;
      count += 1;
    }
    expect(count).toBe(4);
    expect(text).not.toContain('later');
    expect(await verified(text, await keyOf(tenant_id))).toMatchObject({ ok: true, shown: 1101 });
  });

  it('tells of an event that was changed, added or removed in the database itself', async () => {
    const tenant_id = await logged(40);
    const key = await keyOf(tenant_id);
    const [, , third, , , sixth] = await leavesOf(tenant_id);
    const at = (leaf: typeof third): string[] => [tenant_id, leaf?.event_id ?? ''];
    const where = 'WHERE tenant_id = $1 AND id = $2';
    await superuser.query(`UPDATE audit_events SET decision = 'deny' ${where}`, at(third));
    const changed = await verified(await textOf(tenant_id), key);
    expect(changed).toMatchObject({ problem: { kind: 'changed', index: 2, event_id: third?.event_id } });
    await superuser.query(`UPDATE audit_events SET decision = 'allow' ${where}`, at(third));
    expect(await verified(await textOf(tenant_id), key)).toMatchObject({ ok: true });
    await superuser.query(`DELETE FROM audit_events ${where}`, at(sixth));
    expect(await verified(await textOf(tenant_id), key)).toMatchObject({ problem: { kind: 'withheld', index: 5 } });
    // The rest is still what was signed: what is not kept any more is there as a hash.
    expect(await verified(await textOf(tenant_id), key, { partial: true })).toMatchObject({ ok: true, withheld: 1 });
  });

  it('is of one tenant', async () => {
    const [one, two] = [await logged(3), await logged(3)];
    const text = await textOf(one);
    expect(await verified(text, await keyOf(two))).toMatchObject({ problem: { kind: 'checkpoint' } });
    for (const { event_id } of await leavesOf(two)) {
      expect(text).not.toContain(event_id);
      expect(await proveEvent(log, one, event_id, new Date())).toBeNull();
    }
    const line = text.split('\n')[0] ?? '';
    const { event } = JSON.parse(line) as { event: Record<string, unknown> };
    expect(JSON.stringify(event)).toBe(leafText(event));
  });
});

import { randomUUID } from 'node:crypto';
import { createTestDatabase, makeAgent, makeHuman, makeTenant, makeUser, type TestDatabase } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** What each way into the database shows (SPEC O4). */
let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
});

afterAll(() => test.close());

async function makeKey(tenant_id: string): Promise<string> {
  const { id: principal_id } = await makeAgent(test.db, tenant_id);
  const id = randomUUID();
  await test.db.tenant(tenant_id, (tx) =>
    tx.apiKey.create({ data: { tenant_id, id, principal_id, name: 'key', secret_hash: Buffer.from('hash') } }),
  );
  return id;
}

async function makeRun(tenant_id: string, status: string, finished_at: Date | null = null): Promise<string> {
  const { id: principal_id } = await makeAgent(test.db, tenant_id);
  const id = randomUUID();
  await test.db.tenant(tenant_id, (tx) =>
    tx.run.create({
      data: {
        tenant_id,
        id,
        status,
        finished_at,
        principal_id,
        principal_kind: 'agent',
        session_id: randomUUID(),
        authority: {},
        pack_id: 'ledger',
        verb_key: 'balance',
        operation: 'read',
        land: 'public',
        family: 'public',
        pack_version: '1.0.0',
        pack_digest: 'sha256:0',
        settings_epoch: 0n,
        args_digest: '0',
        idempotent: true,
        timeout_ms: 1000,
        queue_deadline: new Date(),
      },
    }),
  );
  return id;
}

describe('lookup', () => {
  it('shows the one key with the id, whose ever it is, and nothing else', async () => {
    const tenant = await makeTenant(test.db);
    const id = await makeKey(tenant.id);
    await makeKey(tenant.id);
    const seen = await test.db.lookup(id, async (tx) => ({
      keys: (await tx.apiKey.findMany()).map((key) => key.id),
      principals: await tx.principal.count(),
      tenants: await tx.tenant.count(),
    }));
    expect(seen).toEqual({ keys: [id], principals: 0, tenants: 0 });
  });

  it('cannot change what it shows', async () => {
    const tenant = await makeTenant(test.db);
    const id = await makeKey(tenant.id);
    const changed = await test.db.lookup(id, (tx) =>
      tx.apiKey.updateMany({ data: { revoked_at: null, name: 'mine' } }),
    );
    expect(changed.count).toBe(0);
  });
});

describe('user', () => {
  it('shows a person the tenants they belong to, by their own principals alone', async () => {
    const user = await makeUser(test.db);
    const [first, second, other] = [await makeTenant(test.db), await makeTenant(test.db), await makeTenant(test.db)];
    await makeHuman(test.db, first.id, { user_id: user.id });
    await makeHuman(test.db, second.id, { user_id: user.id });
    await makeHuman(test.db, first.id);
    await makeHuman(test.db, other.id);
    const seen = await test.db.user(user.id, async (tx) => ({
      tenants: (await tx.tenant.findMany()).map((tenant) => tenant.id).sort(),
      principals: (await tx.principal.findMany()).map((principal) => principal.user_id),
    }));
    expect(seen).toEqual({ tenants: [first.id, second.id].sort(), principals: [user.id, user.id] });
  });
});

describe('reaper', () => {
  it('shows the runs of all tenants that have not ended, to read only', async () => {
    const [one, two] = [await makeTenant(test.db), await makeTenant(test.db)];
    const open = [await makeRun(one.id, 'running'), await makeRun(two.id, 'queued')];
    await makeRun(one.id, 'succeeded');
    const seen = await test.db.reaper(async (tx) => ({
      runs: (await tx.run.findMany()).map((run) => run.id).sort(),
      tenants: await tx.tenant.count(),
      changed: (await tx.run.updateMany({ data: { status: 'cancelled' } })).count,
    }));
    expect(seen).toEqual({ runs: open.sort(), tenants: 0, changed: 0 });
  });
});

describe('sweeper', () => {
  it('shows the runs of all tenants that have ended, to read only', async () => {
    const [one, two] = [await makeTenant(test.db), await makeTenant(test.db)];
    const ended = [await makeRun(one.id, 'succeeded', new Date()), await makeRun(two.id, 'unknown', new Date())];
    const open = [await makeRun(one.id, 'running'), await makeRun(two.id, 'queued', new Date())];
    const seen = await test.db.sweeper(async (tx) => ({
      runs: (await tx.run.findMany({ where: { id: { in: [...ended, ...open] } } })).map((run) => run.id).sort(),
      tenants: await tx.tenant.count(),
      changed: (await tx.run.updateMany({ data: { args_enc: null } })).count,
    }));
    expect(seen).toEqual({ runs: ended.sort(), tenants: 0, changed: 0 });
  });
});

describe('a scope', () => {
  it('ends with its transaction', async () => {
    const tenant = await makeTenant(test.db);
    await makeHuman(test.db, tenant.id);
    // More transactions than the pool has connections, so that each connection is used again.
    const counts = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0
          ? test.db.tenant(tenant.id, (tx) => tx.principal.count())
          : test.db.global((tx) => tx.principal.count()),
      ),
    );
    expect(counts).toEqual(Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 1 : 0)));
  });

  it('is refused when it is no UUID', async () => {
    await expect(test.db.tenant("' OR true --", (tx) => tx.tenant.count())).rejects.toThrow('tenant_id must be a UUID');
  });

  it('keeps nothing of a transaction that failed', async () => {
    const tenant = await makeTenant(test.db);
    const attempt = test.db.tenant(tenant.id, async (tx) => {
      await tx.role.create({ data: { tenant_id: tenant.id, id: randomUUID(), name: 'half', grants: [] } });
      throw new Error('stop');
    });
    await expect(attempt).rejects.toThrow('stop');
    expect(await test.db.tenant(tenant.id, (tx) => tx.role.count())).toBe(0);
  });
});

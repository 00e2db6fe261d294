import { randomUUID } from 'node:crypto';
import { sweepExpired } from '@hcp/tenancy';
import { createTestDatabase, makeHuman, makeTenant, makeUser, type TestDatabase } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { behind, openedSession } from './world.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const DAY_MS = 86_400_000;
const ago = (days: number): Date => new Date(Date.now() - days * DAY_MS);
const secret_hash = Buffer.from('hash');

describe('sweepExpired', () => {
  it('removes what is over in every tenant, leaves first, and nothing else', async () => {
    const { db } = database;
    const kept: string[] = [];
    for (let i = 0; i < 2; i++) {
      const { id: tenant_id } = await makeTenant(db);
      const { id: principal_id } = await makeHuman(db, tenant_id);
      const session = (fields: object) => openedSession(database, tenant_id, principal_id, fields);
      const external = (token_expires_at: Date | null) =>
        session({ expires_at: ago(2), token_hash: Buffer.from(randomUUID()), token_expires_at });
      const parent = await session({ expires_at: ago(2) });
      await session({ expires_at: ago(2), parent_id: parent });
      await external(ago(2));
      // Its token would open a session anew.
      kept.push(
        await external(ago(-30)),
        await external(null),
        await session({}),
        await session({ expires_at: ago(0.5) }),
      );
      const live = kept.at(-2) ?? '';
      await db.tenant(tenant_id, async (tx) => {
        for (const [session_id, days] of [
          [live, 2],
          [live, -1],
          [parent, 2],
        ] as const) {
          const row = { tenant_id, id: randomUUID(), session_id, secret_hash, expires_at: ago(days) };
          await tx.refreshToken.create({ data: row });
        }
        for (const days of [-1, 20, 31]) {
          const row = { tenant_id, id: randomUUID(), email: 'p@example.com', role: 'member', secret_hash };
          await tx.invitation.create({ data: { ...row, expires_at: ago(days) } });
        }
        for (const days of [0, 1, 2]) {
          const event = { tenant_id, xid: 1n, type: 'run.updated', subject_id: randomUUID(), state: 'queued' };
          await tx.tenantEvent.create({ data: { ...event, at: ago(days) } });
        }
        const endpoint = {
          tenant_id,
          id: randomUUID(),
          url: 'https://example.com',
          description: '',
          events: [],
          pack_ids: [],
        };
        await tx.webhook.create({ data: { ...endpoint, secret_enc: secret_hash, created_by: principal_id } });
        for (const days of [null, 20, 31]) {
          const message = { tenant_id, id: randomUUID(), webhook_id: endpoint.id, type: 'webhook.test', payload: '{}' };
          const ended = days === null ? { state: 'pending' } : { state: 'dead', finished_at: ago(days) };
          await tx.webhookDelivery.create({ data: { ...message, ...ended } });
        }
      });
      // Past their runs, which are not on trial here.
      for (const days of [-1, 0.01]) {
        await behind(
          database,
          `SET session_replication_role = 'replica';
           INSERT INTO idempotency_keys (tenant_id, principal_id, key, envelope_hash, run_id, expires_at)
           VALUES ('${tenant_id}', '${principal_id}', '${randomUUID()}', 'x', '${randomUUID()}', '${ago(days).toISOString()}')`,
        );
      }
      await db.tenant(tenant_id, async (tx) => {
        const code = { client_id: 'c', client_name: 'c', redirect_uri: 'x', code_challenge: 'x', secret_hash };
        for (const days of [0.5, 2]) {
          const times = { signed_in_at: ago(days), expires_at: ago(days) };
          await tx.oauthCode.create({ data: { tenant_id, id: randomUUID(), principal_id, ...code, ...times } });
        }
      });
      await db.global(async (tx) => {
        for (const days of [-0.01, 0.01]) {
          const row = { id: randomUUID(), name: 'c', redirect_uris: ['https://a.example/'] };
          await tx.oauthClient.create({ data: { ...row, expires_at: ago(days) } });
        }
      });
      const user = await makeUser(db);
      await db.global(async (tx) => {
        for (const days of [-0.01, 2]) {
          const row = { id: randomUUID(), user_id: user.id, secret_hash, expires_at: ago(days) };
          await tx.passwordReset.create({ data: row });
        }
      });
    }
    await sweepExpired(db);
    await sweepExpired(db);
    const left: string[] = [];
    for (const tenant_id of await tenants()) {
      const seen = await db.tenant(tenant_id, async (tx) => ({
        sessions: (await tx.session.findMany()).map(({ id }) => id),
        tokens: await tx.refreshToken.count(),
        keys: await tx.idempotencyKey.count(),
        invitations: await tx.invitation.count(),
        events: await tx.tenantEvent.count(),
        deliveries: await tx.webhookDelivery.count(),
        codes: await tx.oauthCode.count(),
      }));
      left.push(...seen.sessions);
      expect(seen).toMatchObject({ tokens: 1, keys: 1, invitations: 2, events: 2, deliveries: 2, codes: 1 });
    }
    expect(left.sort()).toEqual(kept.sort());
    expect(await db.global((tx) => tx.passwordReset.count())).toBe(2);
    expect(await db.global((tx) => tx.oauthClient.count())).toBe(2);
  });

  it('is the only way to remove a session or an invitation', async () => {
    const { db } = database;
    const { id: tenant_id } = await makeTenant(db);
    const { id: principal_id } = await makeHuman(db, tenant_id);
    await openedSession(database, tenant_id, principal_id, { expires_at: ago(2) });
    expect(await db.tenant(tenant_id, (tx) => tx.session.deleteMany())).toEqual({ count: 0 });
    expect(await db.sweeper((tx) => tx.tenant.count())).toBe(0);
  });
});

const tenants = async (): Promise<string[]> =>
  (await database.db.operator((tx) => tx.tenant.findMany({ select: { id: true } }))).map(({ id }) => id);

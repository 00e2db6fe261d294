import { randomUUID } from 'node:crypto';
import { mintSecret, reloadCaller } from '@hcp/tenancy';
import { createTestDatabase, makeAgent, makeGrant, makeHuman, makeTenant, type TestDatabase } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

async function run() {
  const { db } = database;
  const { id: tenant_id } = await makeTenant(db);
  const human = await makeHuman(db, tenant_id);
  const agent = await makeAgent(db, tenant_id, { acts_for: human.id });
  for (const { id } of [human, agent]) await makeGrant(db, tenant_id, id, 'verb.exec.read');
  const session_id = randomUUID();
  const expires_at = new Date(Date.now() + 60_000);
  const key_id = randomUUID();
  const { secret_hash } = mintSecret('hcp', key_id);
  await db.tenant(tenant_id, async (tx) => {
    const kind = 'default';
    await tx.session.create({
      data: { tenant_id, id: session_id, principal_id: human.id, kind, interactive: true, packs: [], expires_at },
    });
    await tx.apiKey.create({ data: { tenant_id, id: key_id, principal_id: agent.id, name: 'k', secret_hash } });
  });
  const of_human = { tenant_id, principal_id: human.id, session_id, is_agent: false };
  const of_agent = { tenant_id, principal_id: agent.id, session_id: key_id, is_agent: true };
  return { tenant_id, human, agent, session_id, key_id, of_human, of_agent };
}
const load = (authority: Parameters<typeof reloadCaller>[1]) =>
  database.db.tenant(authority.tenant_id, (tx) => reloadCaller(tx, authority));

describe('reloadCaller', () => {
  it('builds the caller of a session or of a key without its bearer', async () => {
    const { human, agent, key_id, of_human, of_agent } = await run();
    expect(await load(of_human)).toMatchObject({ ok: true, caller: { principal: { id: human.id }, is_agent: false } });
    expect(await load({ ...of_human, is_agent: true })).toMatchObject({ ok: true, caller: { is_agent: true } });
    expect(await load(of_agent)).toMatchObject({
      ok: true,
      caller: {
        principal: { id: agent.id, kind: 'agent' },
        acts_for: human.id,
        session: { id: key_id, api_key_id: key_id, interactive: false },
        authority: { layers: [[{ capability: 'verb.exec.read' }], [{ capability: 'verb.exec.read' }]] },
      },
    });
  });

  it('refuses once the session ended, the key is revoked, someone is disabled or the tenant stopped', async () => {
    const { db } = database;
    const now = new Date();
    const first = await run();
    await db.tenant(first.tenant_id, (tx) =>
      tx.session.updateMany({ where: { id: first.session_id }, data: { revoked_at: now } }),
    );
    expect(await load(first.of_human)).toEqual({ ok: false, reason: 'ended' });
    await db.tenant(first.tenant_id, (tx) =>
      tx.apiKey.updateMany({ where: { id: first.key_id }, data: { revoked_at: now } }),
    );
    expect(await load(first.of_agent)).toEqual({ ok: false, reason: 'ended' });

    const second = await run();
    await db.tenant(second.tenant_id, (tx) =>
      tx.principal.updateMany({ where: { id: second.human.id }, data: { disabled_at: now } }),
    );
    expect(await load(second.of_human)).toEqual({ ok: false, reason: 'disabled' });
    expect(await load(second.of_agent)).toEqual({ ok: false, reason: 'human_disabled' });

    const third = await run();
    await db.tenant(third.tenant_id, (tx) =>
      tx.tenant.updateMany({ where: { id: third.tenant_id }, data: { stopped_at: now } }),
    );
    expect(await load(third.of_human)).toEqual({ ok: false, reason: 'tenant_stopped' });
  });

  it('refuses another principal’s session, another tenant’s, and none', async () => {
    const [a, b] = [await run(), await run()];
    expect(await load({ ...a.of_human, principal_id: a.agent.id })).toEqual({ ok: false, reason: 'other_credential' });
    expect(await load({ ...a.of_human, tenant_id: b.tenant_id })).toEqual({ ok: false, reason: 'unknown' });
    expect(await load({ ...a.of_human, session_id: randomUUID() })).toEqual({ ok: false, reason: 'unknown' });
  });
});

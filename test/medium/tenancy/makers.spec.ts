import { randomUUID } from 'node:crypto';
import { allows, type Caller, type Capability } from '@hcp/core';
import type { AccessTokens } from '@hcp/tenancy';
import { Authenticator, createApiKey, linkIdentity, removePrincipal } from '@hcp/tenancy';
import { assignRole, createTestDatabase, makeAgent, makeGrant, makeTenant, type TestDatabase } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callerOf, goodCaller, openedSession, signedInHuman } from './world.js';

/** SPEC G5: who makes a credential for another never gets more by it than they may themselves. */
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const may = (caller: Caller | string, capability: Capability): boolean =>
  typeof caller !== 'string' && allows(caller.authority, { capability }, new Date());

async function minted(by: Caller, principal_id?: string): Promise<string> {
  const input = { name: 'k', ...(principal_id === undefined ? {} : { principal_id }) };
  const made = await createApiKey(database.db, by, input);
  if (!made.ok) throw new Error(made.code);
  return made.value.id;
}

async function team() {
  const { db } = database;
  const { id: tenant_id } = await makeTenant(db);
  const [owner, admin] = [
    await signedInHuman(database, tenant_id, 'owner'),
    await signedInHuman(database, tenant_id, 'admin'),
  ];
  const { id: agent } = await makeAgent(db, tenant_id);
  await makeGrant(db, tenant_id, agent, 'audit.read');
  return { tenant_id, owner, admin, agent };
}

describe('a key for an agent', () => {
  it('does not grow beyond its maker when the agent is given more', async () => {
    const { tenant_id, owner, admin, agent } = await team();
    const [by_admin, by_owner] = [await minted(admin, agent), await minted(owner, agent)];
    await makeGrant(database.db, tenant_id, agent, 'tenant.manage');
    const of = (key: string) => callerOf(database, tenant_id, agent, key);
    expect(may(await of(by_admin), 'audit.read')).toBe(true);
    expect(may(await of(by_admin), 'tenant.manage')).toBe(false);
    expect(may(await of(by_owner), 'tenant.manage')).toBe(true);
    // A session opened with the key is bound the same.
    const fields = { kind: 'explicit', interactive: false, api_key_id: by_admin };
    const session = await openedSession(database, tenant_id, agent, fields);
    expect(may(await of(session), 'tenant.manage')).toBe(false);
  });

  it('ends with its maker', async () => {
    const { tenant_id, owner, admin, agent } = await team();
    const key = await minted(admin, agent);
    expect(await removePrincipal(database.db, owner, admin.principal.id)).toMatchObject({ ok: true });
    expect(await callerOf(database, tenant_id, agent, key)).toBe('maker_disabled');
  });
});

describe('a key that a narrow call mints', () => {
  it('stays what the call was', async () => {
    const { tenant_id, admin } = await team();
    const first = await minted(admin);
    const by_key = await goodCaller(database, tenant_id, admin.principal.id, first);
    const second = await minted(by_key);
    await assignRole(database.db, tenant_id, admin.principal.id, 'owner');
    const of = (key: string) => callerOf(database, tenant_id, admin.principal.id, key);
    expect(may(await of(first), 'tenant.manage')).toBe(true);
    expect(may(await of(second), 'access.manage')).toBe(true);
    expect(may(await of(second), 'tenant.manage')).toBe(false);
  });
});

describe('a linked subject', () => {
  const issuerOf = async (tenant_id: string, created_by: string): Promise<string> => {
    const id = randomUUID();
    const issuer = { tenant_id, id, issuer: 'https://idp.example.com', audience: id, lookup_key: id, kind: 'agent' };
    const rest = { algorithms: ['ES256'], subject_claim: 'sub', jit: true, interactive: false, created_by };
    await database.db.tenant(tenant_id, (tx) => tx.oidcIssuer.create({ data: { ...issuer, ...rest } }));
    return id;
  };
  const tokens = {} as AccessTokens;
  const claims = (tenant_id: string, issuer_id: string, subject: string) => ({
    ...{ tenant_id, issuer_id, subject, email: null },
    token_hash: new Uint8Array(Buffer.from(randomUUID())),
    expires_at: new Date(Date.now() + 60_000),
  });

  it('does no more than who linked it', async () => {
    const { tenant_id, admin, agent } = await team();
    await makeGrant(database.db, tenant_id, admin.principal.id, 'tenant.manage');
    const linker = await goodCaller(database, tenant_id, admin.principal.id, admin.session.id);
    const issuer_id = await issuerOf(tenant_id, admin.principal.id);
    const linked = await linkIdentity(database.db, linker, issuer_id, { subject: 's', principal_id: agent });
    expect(linked).toMatchObject({ ok: true });
    await makeGrant(database.db, tenant_id, agent, 'fleet.run');
    const authenticator = new Authenticator(database.db, tokens);
    const came = await authenticator.authenticateExternal(claims(tenant_id, issuer_id, 's'), { agent_header: false });
    if (!came.ok) throw new Error(came.reason);
    expect(may(came.caller, 'audit.read')).toBe(true);
    expect(may(came.caller, 'fleet.run')).toBe(false);
  });

  it('opens only so many sessions at a time', async () => {
    const { tenant_id, owner } = await team();
    const issuer_id = await issuerOf(tenant_id, owner.principal.id);
    const authenticator = new Authenticator(database.db, tokens, 2);
    const come = async () => {
      const came = await authenticator.authenticateExternal(claims(tenant_id, issuer_id, 'many'), {
        agent_header: false,
      });
      return came.ok ? 'in' : came.reason;
    };
    expect([await come(), await come(), await come()]).toEqual(['in', 'in', 'too_many_sessions']);
  });
});

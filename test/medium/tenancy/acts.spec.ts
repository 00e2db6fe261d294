import { randomUUID } from 'node:crypto';
import {
  createInvitation,
  createTenant,
  inviteOwner,
  mintSecret,
  PasswordReset,
  revokeSession,
  SignIn,
  stopTenant,
  type AccessTokens,
  type LinkDeps,
} from '@hcp/tenancy';
import { createTestDatabase, makeGrant, makeHuman, makeTenant, makeUser, type TestDatabase } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audited, callerOf, goodCaller, openedSession, refuseAudit, signedInHuman } from './world.js';

/** SPEC U2: an act and its event are there together or not at all. */
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const links: LinkDeps = {
  mailer: { delivers: true, send: () => Promise.resolve() },
  public_url: 'https://hcp.example.com',
};
const broken: LinkDeps = { ...links, mailer: { delivers: true, send: () => Promise.reject(new Error('no mail')) } };

async function operator() {
  const { id: platform } = await makeTenant(database.db, { platform: true });
  const person = await signedInHuman(database, platform, 'owner');
  await makeGrant(database.db, platform, person.principal.id, 'platform.manage');
  return { platform, caller: await goodCaller(database, platform, person.principal.id, person.session.id) };
}

describe('a password reset', () => {
  it('does not happen where it cannot be logged, in any tenant of the person', async () => {
    const { db } = database;
    const user = await makeUser(db);
    const tenants = [(await makeTenant(db)).id, (await makeTenant(db)).id].sort();
    for (const tenant_id of tenants) await makeHuman(db, tenant_id, { user_id: user.id });
    const id = randomUUID();
    const { token, secret_hash } = mintSecret('hcpp', id);
    const expires_at = new Date(Date.now() + 60_000);
    await db.global((tx) => tx.passwordReset.create({ data: { id, user_id: user.id, secret_hash, expires_at } }));
    const reset = new PasswordReset(db, links, () => undefined);
    const [first = '', last = ''] = tenants;
    await refuseAudit(database, last, 'auth.password_reset');
    await expect(reset.confirm({ token, password: 'a new sentence for a test' })).rejects.toThrow();
    const after = await db.global((tx) => tx.user.findUniqueOrThrow({ where: { id: user.id } }));
    expect([after.password_hash, after.sessions_valid_from]).toEqual([user.password_hash, null]);
    expect(await audited(database, first, 'auth.password_reset')).toBe(0);
    const link = await db.global((tx) => tx.passwordReset.findUniqueOrThrow({ where: { id } }));
    expect(link.used_at).toBeNull();
  });
});

describe('the log of the operators', () => {
  it('has only what happened', async () => {
    const { platform, caller } = await operator();
    const { id: tenant_id, slug } = await makeTenant(database.db);
    await signedInHuman(database, tenant_id, 'owner');
    const deps = { db: database.db, ...links };
    const input = { slug, name: 'Again', owner_email: 'o@example.com' };
    expect(await createTenant(deps, caller, input)).toMatchObject({ ok: false, code: 'conflict' });
    expect(await inviteOwner(deps, caller, tenant_id, 'o@example.com')).toMatchObject({ ok: false, code: 'conflict' });
    for (let i = 0; i < 2; i++) expect(await stopTenant(database.db, caller, tenant_id)).toMatchObject({ ok: true });
    const seen = [];
    for (const action of ['tenant.create', 'tenant.invite_owner', 'tenant.stop']) {
      seen.push(await audited(database, platform, action));
    }
    expect(seen).toEqual([0, 0, 1]);
    expect(await audited(database, tenant_id, 'tenant.stop')).toBe(1);
  });

  it('misses nothing: what it cannot tell does not happen', async () => {
    const { platform, caller } = await operator();
    const { id: tenant_id } = await makeTenant(database.db);
    await refuseAudit(database, platform, 'tenant.stop');
    await expect(stopTenant(database.db, caller, tenant_id)).rejects.toThrow();
    const row = await database.db.tenant(tenant_id, (tx) => tx.tenant.findUniqueOrThrow({ where: { id: tenant_id } }));
    expect(row.stopped_at).toBeNull();
    expect(await audited(database, tenant_id, 'tenant.stop')).toBe(0);
  });
});

describe('an invitation that cannot be mailed', () => {
  it('is void, and the log says so', async () => {
    const { id: tenant_id } = await makeTenant(database.db);
    const owner = await signedInHuman(database, tenant_id, 'owner');
    const input = { email: 'p@example.com', role: 'member' };
    const made = await createInvitation({ db: database.db, ...broken }, owner, input);
    expect(made).toMatchObject({ ok: false, code: 'unavailable' });
    const event = await database.db.tenant(tenant_id, (tx) =>
      tx.auditEvent.findFirstOrThrow({ where: { tenant_id, action: 'invitation.revoke' } }),
    );
    expect(event).toMatchObject({ principal_id: owner.principal.id, reason: 'the mail could not be sent' });
  });
});

describe('signing out', () => {
  const subject = () => new SignIn(database.db, {} as AccessTokens);

  it('of a narrowed session ends that one alone', async () => {
    const { id: tenant_id } = await makeTenant(database.db);
    const { principal, session } = await signedInHuman(database, tenant_id, 'owner');
    const narrow = await openedSession(database, tenant_id, principal.id, { kind: 'explicit', parent_id: session.id });
    const inner = await openedSession(database, tenant_id, principal.id, { kind: 'explicit', parent_id: narrow });
    const caller = await goodCaller(database, tenant_id, principal.id, narrow);
    expect(await subject().signOut(caller)).toMatchObject({ ok: true });
    for (const id of [narrow, inner]) expect(await callerOf(database, tenant_id, principal.id, id)).toBe('ended');
    await goodCaller(database, tenant_id, principal.id, session.id);
  });

  it('is not for an agent’s hand where the person signed in', async () => {
    const { id: tenant_id } = await makeTenant(database.db);
    const { principal, session } = await signedInHuman(database, tenant_id, 'owner');
    const by_agent = await goodCaller(database, tenant_id, principal.id, session.id, true);
    expect(await subject().signOut(by_agent)).toMatchObject({ ok: false, code: 'human_only' });
    expect(await revokeSession(database.db, by_agent, session.id)).toMatchObject({ ok: false });
    const narrow = await openedSession(database, tenant_id, principal.id, { kind: 'explicit', parent_id: session.id });
    const narrowed = await goodCaller(database, tenant_id, principal.id, narrow, true);
    expect(await subject().signOut(narrowed)).toMatchObject({ ok: true });
    await goodCaller(database, tenant_id, principal.id, session.id);
  });
});

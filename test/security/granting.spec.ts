import { randomUUID } from 'node:crypto';
import { BUILTIN_ROLES, CAPABILITIES, type Capability, type Grant } from '@hcp/core';
import { ROUTES, type OperationId, type Route } from '@hcp/contracts';
import { makeGrant, makeProject } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Api } from '../medium/api/auth-harness.js';
import { IdentityProvider } from '../support/oidc.js';

/** SPEC G5: nobody grants more than they hold, on any route that gives rights. */
let api: Api;
let idp: IdentityProvider;
let tenant_id: string;
let manager: Awaited<ReturnType<Api['signedIn']>>;
let project: string;
let other_project: string;
const ENDS = new Date(Date.now() + 3600_000).toISOString();
const LATER = new Date(Date.now() + 7200_000).toISOString();

/** What the giver holds besides what it takes to use the routes at all. */
const HELD: readonly (Omit<Grant, 'project_id'> & { in_project?: true })[] = [
  { capability: 'verb.exec.read', pack_id: 'ledger' },
  { capability: 'verb.exec.write', pack_id: 'ledger', verb_keys: ['ledger.add'] },
  { capability: 'binding.manage', in_project: true },
  { capability: 'audit.read', expires_at: ENDS },
];
const USES = ['access.manage', 'tenant.manage'] as const;

beforeAll(async () => {
  idp = await IdentityProvider.start(['ES256']);
  api = await Api.start(1, { HCP_EGRESS_ALLOW_PRIVATE: '127.0.0.1' });
  tenant_id = await api.tenant();
  manager = await api.signedIn(tenant_id);
  const { db } = api.database;
  project = (await makeProject(db, tenant_id, [manager.id])).id;
  other_project = (await makeProject(db, tenant_id, [manager.id])).id;
  for (const capability of USES) await makeGrant(db, tenant_id, manager.id, capability);
  for (const { capability, pack_id, verb_keys, expires_at, in_project } of HELD) {
    await makeGrant(db, tenant_id, manager.id, capability, {
      pack_id: pack_id ?? null,
      verb_keys: [...(verb_keys ?? [])],
      project_id: in_project ? project : null,
      expires_at: expires_at === undefined ? null : new Date(expires_at),
    });
  }
});
afterAll(async () => {
  await api.stop();
  await idp.stop();
});

/** Something that the giver lacks: other capabilities, and those held, but wider. */
const LACKED: readonly (() => Grant)[] = [
  ...CAPABILITIES.filter((one) => !(USES as readonly string[]).includes(one)).map((capability: Capability) => () => ({
    capability,
  })),
  () => ({ capability: 'verb.exec.read', pack_id: 'notes' }),
  () => ({ capability: 'verb.exec.write', pack_id: 'ledger' }),
  () => ({ capability: 'verb.exec.write', pack_id: 'ledger', verb_keys: ['ledger.add', 'ledger.pay'] }),
  () => ({ capability: 'binding.manage', project_id: other_project }),
  () => ({ capability: 'audit.read', expires_at: LATER }),
];
/** And what it holds, so that the refusals mean something. */
const COVERED: readonly (() => Grant)[] = [
  () => ({ capability: 'verb.exec.read', pack_id: 'ledger', verb_keys: ['ledger.list'] }),
  () => ({ capability: 'verb.exec.write', pack_id: 'ledger', verb_keys: ['ledger.add'] }),
  () => ({ capability: 'binding.manage', project_id: project }),
  () => ({ capability: 'audit.read', expires_at: ENDS }),
  () => ({ capability: 'access.manage' }),
];

const send = async (method: string, path: string, body?: object): Promise<number> =>
  (await api.call(method, path, { token: manager.token, ...(body ? { body } : {}) })).status;
const roleName = (): string => `r${randomUUID().slice(0, 8)}`;
/** Made behind the API's back, as somebody who holds it would. */
async function role(grant: Grant): Promise<{ id: string; name: string }> {
  const row = { id: randomUUID(), name: roleName() };
  await api.database.db.tenant(tenant_id, (tx) =>
    tx.role.create({ data: { tenant_id, ...row, grants: [grant as object] } }),
  );
  return row;
}
async function holder(kind: 'agent' | 'service', grant: Grant, disabled = false): Promise<string> {
  const id = await api.principal(tenant_id, kind);
  const { db } = api.database;
  await makeGrant(db, tenant_id, id, grant.capability, {
    pack_id: grant.pack_id ?? null,
    verb_keys: [...(grant.verb_keys ?? [])],
    project_id: grant.project_id ?? null,
    expires_at: grant.expires_at === undefined ? null : new Date(grant.expires_at),
  });
  if (disabled) {
    await db.tenant(tenant_id, (tx) => tx.principal.updateMany({ where: { id }, data: { disabled_at: new Date() } }));
  }
  return id;
}
async function issuer(fields: object = {}): Promise<string> {
  const audience = `a-${randomUUID()}`;
  const id = randomUUID();
  const row = { issuer: idp.issuer, audience, lookup_key: audience, algorithms: ['ES256'], subject_claim: 'sub' };
  const flags = { kind: 'service', jit: true, interactive: false, created_by: manager.id };
  await api.database.db.tenant(tenant_id, (tx) =>
    tx.oidcIssuer.create({ data: { tenant_id, id, ...row, ...flags, ...fields } }),
  );
  return id;
}

/** Each route that gives a right, by giving this one. */
const GIVING: Partial<Record<OperationId, (grant: Grant) => Promise<number>>> = {
  grants_create: async (grant) =>
    send('POST', '/v1/grants', { principal_id: await api.principal(tenant_id, 'agent'), ...grant }),
  roles_create: (grant) => send('POST', '/v1/roles', { name: roleName(), grants: [grant] }),
  roles_update: async (grant) => {
    const { id } = await role({ capability: 'access.manage' });
    return send('PUT', `/v1/roles/${id}`, { grants: [{ capability: 'access.manage' }, grant] });
  },
  members_assign_role: async (grant) =>
    send('POST', `/v1/members/${await api.principal(tenant_id, 'agent')}/roles`, { role: (await role(grant)).name }),
  members_enable: async (grant) => send('POST', `/v1/members/${await holder('agent', grant, true)}/enable`),
  api_keys_create: async (grant) => {
    // A key of another principal, by the grants it names and by those of its owner; both must be refused alike.
    const principal_id = await holder('agent', grant);
    const named = await send('POST', '/v1/api-keys', { name: 'k', principal_id, grants: [grant] });
    const whole = await send('POST', '/v1/api-keys', { name: 'k', principal_id });
    return named === whole ? named : -1;
  },
  invitations_create: async (grant) =>
    send('POST', '/v1/invitations', { email: `p-${randomUUID()}@example.com`, role: (await role(grant)).name }),
  oidc_issuers_create: async (grant) => {
    // A tenant has room for some only.
    await api.database.db.tenant(tenant_id, (tx) => tx.oidcIssuer.deleteMany({ where: { tenant_id } }));
    const { name: jit_role } = await role(grant);
    return send('POST', '/v1/oidc-issuers', { issuer: idp.issuer, audience: `a-${randomUUID()}`, jit: true, jit_role });
  },
  oidc_issuers_update: async (grant) =>
    send('PUT', `/v1/oidc-issuers/${await issuer()}`, { jit_role: (await role(grant)).name }),
  oidc_issuers_link: async (grant) =>
    send('POST', `/v1/oidc-issuers/${await issuer()}/identities`, {
      subject: randomUUID(),
      principal_id: await holder('service', grant),
    }),
};

/** Routes that change something and give nobody a right. A new route has to be put here or above. */
const NOT_GIVING: readonly string[] = [
  // What asks first, never what one may do.
  'access_rules_create',
  'access_set_mode',
  'access_settings',
  'access_test',
  'approvals_approve',
  'approvals_reject',
  'mcp',
  'projects_access',
  'agents_act_for_me',
  'agents_create',
  'auth_browser_renew',
  'auth_browser_sign_in',
  'auth_browser_sign_out',
  'auth_logout',
  'auth_refresh',
  // What a client gets is an agent's hand of the person, never more.
  'oauth_consent',
  'oauth_login',
  'oauth_register',
  'oauth_revoke',
  'oauth_token',
  'auth_reset',
  'auth_reset_confirm',
  'auth_token',
  'bindings_connect',
  'bindings_create',
  'bindings_rotate',
  'exec',
  'exec_preview',
  'files_put',
  'invitations_accept',
  'members_disable',
  'providers_create',
  'providers_update',
  'packs_activate',
  'packs_check',
  'packs_install',
  'packs_publish',
  'packs_resume',
  'packs_rollback',
  'packs_stop',
  'projects_add_member',
  'projects_create',
  'projects_update',
  'root_keys_rewrap',
  'signing_keys_rotate',
  'tenants_rotate_data_key',
  'runs_cancel',
  'sense_sources_set',
  'sessions_create',
  'tenants_create',
  'tenants_invite_owner',
  'tenants_resume',
  'tenants_stop',
  'webhooks_create',
  'webhooks_redeliver',
  'webhooks_rotate_secret',
  'webhooks_test',
  'webhooks_update',
];

describe('every route that gives a right', () => {
  it('is on trial here', () => {
    const changing = (Object.entries(ROUTES) as [string, Route][]).flatMap(([id, { method }]) =>
      method === 'POST' || method === 'PUT' ? [id] : [],
    );
    const known = new Set([...Object.keys(GIVING), ...NOT_GIVING]);
    expect(changing.filter((id) => !known.has(id))).toEqual([]);
  });

  it.each(Object.entries(GIVING))('refuses what its caller lacks: %s', async (_id, give) => {
    for (const grant of LACKED.map((make) => make())) {
      expect({ grant, status: await give(grant) }).toEqual({ grant, status: 403 });
    }
  });

  it.each(Object.entries(GIVING))('gives what its caller holds: %s', async (_id, give) => {
    for (const grant of COVERED.map((make) => make())) {
      const status = await give(grant);
      expect({ grant, fine: status >= 200 && status < 300 }).toEqual({ grant, fine: true });
    }
  });

  it('refuses built-in roles that are wider than its caller', async () => {
    const agent = await api.principal(tenant_id, 'agent');
    for (const name of Object.keys(BUILTIN_ROLES)) {
      expect(await send('POST', `/v1/members/${agent}/roles`, { role: name })).toBe(403);
      expect(await send('POST', '/v1/invitations', { email: `p-${randomUUID()}@example.com`, role: name })).toBe(403);
    }
  });
});

describe('a role in two tenants and a token for one', () => {
  it('acts on nothing of the other, lists by the role of its own tenant, and mints nothing wider', async () => {
    const other = await api.tenant();
    const ada = await api.person(tenant_id, 'member');
    await api.person(other, 'owner', ada);
    const token = (await api.signIn(ada, tenant_id)).access_token;
    const theirs = await makeProject(api.database.db, other, []);
    const call = async (method: string, path: string, body?: object) =>
      (await api.call(method, path, { token, ...(body ? { body } : {}) })).status;
    expect(await call('GET', `/v1/projects/${theirs.id}`)).toBe(404);
    expect(await call('PUT', `/v1/projects/${theirs.id}/members/${ada.id}`)).toBe(403);
    for (const list of ['members', 'grants', 'invitations', 'oidc-issuers', 'audit', 'tenants']) {
      expect(await call('GET', `/v1/${list}`)).toBe(403);
    }
    for (const capability of CAPABILITIES) {
      const status = await call('POST', '/v1/api-keys', { name: 'k', grants: [{ capability }] });
      const held = (BUILTIN_ROLES['member'] ?? []).some((grant) => grant.capability === capability);
      expect([capability, status]).toEqual([capability, held ? 201 : 403]);
    }
    expect(await call('POST', '/v1/api-keys', { name: 'k', project_id: theirs.id })).toBe(404);
  });
});

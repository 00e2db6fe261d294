import { randomUUID } from 'node:crypto';
import { makeGrant, makeProject } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Api } from './auth-harness.js';

/** SPEC T2, T3, T5, G2: members, agents, roles and projects after they were made, on two replicas. */
let api: Api;
beforeAll(async () => {
  api = await Api.start(2);
});
afterAll(() => api.stop());

type Signed = Awaited<ReturnType<Api['signedIn']>>;
type Body = Record<string, unknown> & { id: string };
const send = (who: { token: string }, method: string, path: string, body?: object, replica = 0) =>
  api.call<Body>(method, path, { token: who.token, replica, ...(body ? { body } : {}) });

async function team(): Promise<{ tenant_id: string; owner: Signed; admin: Signed; member: Signed }> {
  const tenant_id = await api.tenant();
  return {
    tenant_id,
    owner: await api.signedIn(tenant_id, 'owner'),
    admin: await api.signedIn(tenant_id, 'admin'),
    member: await api.signedIn(tenant_id, 'member'),
  };
}

describe('a principal', () => {
  it('is shown alone as in the list', async () => {
    const { owner, member } = await team();
    const list = await api.call<{ items: Body[] }>('GET', '/v1/members', { token: owner.token });
    const one = await send(owner, 'GET', `/v1/members/${member.id}`);
    expect(one.body).toEqual(list.body.items.find(({ id }) => id === member.id));
    expect(one.body).toMatchObject({
      kind: 'human',
      email: member.email,
      disabled: false,
      roles: [{ role: 'member' }],
    });
  });

  it('is found by a part of its name or email, of one kind, page after page', async () => {
    const { tenant_id, owner, member } = await team();
    const agent = await api.principal(tenant_id, 'agent', { name: 'Payment_Helper 100%' });
    const other = await api.tenant();
    await api.principal(other, 'agent', { name: 'Payment_Helper 100%' });
    const found = async (query: Record<string, string>): Promise<string[]> => {
      const ids: string[] = [];
      let next: string | null = null;
      do {
        const search = new URLSearchParams({ ...query, limit: '1', ...(next === null ? {} : { cursor: next }) });
        const page: { items: Body[]; next_cursor: string | null } = (
          await api.call<{ items: Body[]; next_cursor: string | null }>('GET', `/v1/members?${search.toString()}`, {
            token: owner.token,
          })
        ).body;
        ids.push(...page.items.map(({ id }) => id));
        next = page.next_cursor;
      } while (next !== null);
      return ids;
    };
    expect(await found({ search: 'helper 100%' })).toEqual([agent]);
    expect(await found({ search: 'paymentxhelper' })).toEqual([]);
    expect(await found({ search: member.email.toUpperCase() })).toEqual([member.id]);
    expect(await found({ search: member.email, kind: 'agent' })).toEqual([]);
    expect(await found({ kind: 'agent' })).toEqual([agent]);
    expect((await found({ search: '@example.com' })).length).toBe(3);
  });

  it('has its projects, its grants by capability and its keys listed', async () => {
    const { tenant_id, owner, member } = await team();
    const project = await makeProject(api.database.db, tenant_id, [member.id]);
    expect((await send(owner, 'GET', `/v1/members/${member.id}`)).body).toMatchObject({ projects: [project.id] });
    await makeGrant(api.database.db, tenant_id, member.id, 'audit.read');
    const { id } = await makeGrant(api.database.db, tenant_id, member.id, 'run.read');
    await makeGrant(api.database.db, tenant_id, owner.id, 'run.read');
    const key = await api.key(tenant_id, member.id);
    await api.key(tenant_id, owner.id);
    const ids = async (who: Signed, path: string): Promise<string[]> =>
      (await api.call<{ items: Body[] }>('GET', path, { token: who.token })).body.items.map((each) => each.id);
    expect(await ids(owner, `/v1/grants?principal_id=${member.id}&capability=run.read`)).toEqual([id]);
    expect(await ids(owner, `/v1/api-keys?principal_id=${member.id}`)).toEqual([key.id]);
    expect(await ids(member, `/v1/api-keys?principal_id=${owner.id}`)).toEqual([]);
  });

  it('who manages no access sees the agents that act for them, and no others', async () => {
    const { tenant_id, owner, member } = await team();
    const mine = await api.principal(tenant_id, 'agent', { acts_for: member.id });
    const theirs = await api.principal(tenant_id, 'agent', { acts_for: owner.id, name: 'their_agent' });
    const ids = async (who: Signed, query = ''): Promise<string[]> =>
      (await api.call<{ items: Body[] }>('GET', `/v1/agents${query}`, { token: who.token })).body.items.map(
        ({ id }) => id,
      );
    expect(await ids(member)).toEqual([mine]);
    expect(await ids(member, `?acts_for=${owner.id}`)).toEqual([]);
    expect(await ids(owner)).toEqual([mine, theirs].sort());
    expect(await ids(owner, `?acts_for=${member.id}`)).toEqual([mine]);
    expect(await ids(owner, '?search=THEIR_')).toEqual([theirs]);
    expect(await ids(owner, '?search=theirxagent')).toEqual([]);
  });

  it('is disabled and enabled, on the next call, with its keys and who acts for it', async () => {
    const { tenant_id, owner, member } = await team();
    const agent = await api.principal(tenant_id, 'agent', { acts_for: member.id });
    const keys = [await api.key(tenant_id, member.id), await api.key(tenant_id, agent)];
    const tokens = [member.token, ...keys.map(({ key }) => key)];
    const seen = async (): Promise<number[]> =>
      Promise.all(tokens.map(async (token) => (await send({ token }, 'GET', '/v1/me', undefined, 1)).status));
    expect(await seen()).toEqual([200, 200, 200]);
    const before = await api.epoch(tenant_id);
    expect((await send(owner, 'POST', `/v1/members/${member.id}/disable`)).status).toBe(204);
    expect(await seen()).toEqual([401, 401, 401]);
    expect(await api.epoch(tenant_id)).toBeGreaterThan(before);
    const body = { email: member.email, password: member.password };
    expect((await api.call('POST', '/v1/auth/token', { body })).status).toBe(401);
    expect((await send(owner, 'POST', `/v1/members/${member.id}/disable`)).status).toBe(204);
    expect((await send(owner, 'POST', `/v1/members/${member.id}/enable`)).status).toBe(204);
    expect(await seen()).toEqual([200, 200, 200]);
    const actions = (await api.audited(tenant_id)).map(({ action }) => action);
    expect(actions.filter((action) => action.startsWith('principal.'))).toEqual([
      'principal.disable',
      'principal.enable',
    ]);
  });

  it('who is the last owner is neither disabled nor removed, not even by two at once', async () => {
    const { tenant_id, owner, admin } = await team();
    expect((await send(admin, 'POST', `/v1/members/${owner.id}/disable`)).status).toBe(409);
    expect((await send(admin, 'DELETE', `/v1/members/${owner.id}`)).status).toBe(409);
    const second = await api.signedIn(tenant_id, 'owner');
    const both = await Promise.all([
      send(admin, 'POST', `/v1/members/${owner.id}/disable`),
      send(admin, 'POST', `/v1/members/${second.id}/disable`, undefined, 1),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  it('who holds more is stopped by any who manages access, and let go on only by who holds as much', async () => {
    const { tenant_id, owner, admin } = await team();
    const second = await api.signedIn(tenant_id, 'owner');
    expect((await send(admin, 'POST', `/v1/members/${second.id}/disable`)).status).toBe(204);
    expect((await send(admin, 'POST', `/v1/members/${second.id}/enable`)).status).toBe(403);
    expect((await send(owner, 'POST', `/v1/members/${second.id}/enable`)).status).toBe(204);
  });

  it('who is removed keeps nothing, and cannot come in', async () => {
    const { tenant_id, owner, member } = await team();
    const { db } = api.database;
    await makeProject(db, tenant_id, [member.id]);
    await makeGrant(db, tenant_id, member.id, 'audit.read');
    const { key } = await api.key(tenant_id, member.id);
    expect((await send(owner, 'DELETE', `/v1/members/${member.id}`)).status).toBe(204);
    for (const token of [member.token, key])
      expect((await send({ token }, 'GET', '/v1/me', undefined, 1)).status).toBe(401);
    const where = { tenant_id, principal_id: member.id };
    const left = await db.tenant(tenant_id, async (tx) => [
      await tx.grant.count({ where }),
      await tx.roleAssignment.count({ where }),
      await tx.projectMember.count({ where }),
      await tx.apiKey.count({ where: { ...where, revoked_at: null } }),
      await tx.session.count({ where: { ...where, revoked_at: null } }),
    ]);
    expect(left).toEqual([0, 0, 0, 0, 0]);
    expect((await send(owner, 'GET', `/v1/members/${member.id}`)).body).toMatchObject({ disabled: true, roles: [] });
    // Enabled by hand it is nobody with rights.
    await send(owner, 'POST', `/v1/members/${member.id}/enable`);
    expect((await send({ token: key }, 'GET', '/v1/me')).status).toBe(401);
  });
});

describe('an agent', () => {
  it('is linked later by the human it then acts for, and by nobody else', async () => {
    const { tenant_id, owner, admin } = await team();
    const agent = await api.principal(tenant_id, 'agent');
    await makeGrant(api.database.db, tenant_id, agent, 'tenant.manage');
    const path = `/v1/agents/${agent}/acts-for`;
    expect((await send(admin, 'PUT', path)).status).toBe(204);
    expect((await send(admin, 'PUT', path)).status).toBe(204);
    expect((await send(owner, 'PUT', path)).status).toBe(409);
    expect((await send(owner, 'GET', `/v1/agents/${agent}`)).body).toMatchObject({ acts_for: admin.id, kind: 'agent' });
    expect((await send(owner, 'GET', `/v1/agents/${owner.id}`)).status).toBe(404);
    expect((await send(owner, 'PUT', `/v1/agents/${owner.id}/acts-for`)).status).toBe(404);
    expect((await send(admin, 'DELETE', path)).status).toBe(204);
    expect((await send(owner, 'PUT', path)).status).toBe(204);
    const actions = (await api.audited(tenant_id)).map(({ action }) => action);
    expect(actions.filter((action) => action.startsWith('acts_for.'))).toEqual([
      'acts_for.create',
      'acts_for.revoke',
      'acts_for.create',
    ]);
  });
});

describe('a role', () => {
  it('that is changed counts at once for who has it, and is taken from issuers when deleted', async () => {
    const { tenant_id, owner, member } = await team();
    const role = await send(owner, 'POST', '/v1/roles', { name: 'reader', grants: [{ capability: 'run.read' }] });
    await send(owner, 'POST', `/v1/members/${member.id}/roles`, { role: 'reader' });
    expect((await send(member, 'GET', '/v1/audit', undefined, 1)).status).toBe(403);
    const grants = [{ capability: 'audit.read' }];
    const changed = await send(owner, 'PUT', `/v1/roles/${role.body.id}`, { grants });
    expect(changed).toMatchObject({ status: 200, body: { name: 'reader', grants } });
    expect((await send(member, 'GET', '/v1/audit', undefined, 1)).status).toBe(200);
    expect((await send(owner, 'PUT', `/v1/roles/${randomUUID()}`, { grants })).status).toBe(404);
    const id = randomUUID();
    const said = {
      issuer: 'https://id.example.com',
      audience: id,
      lookup_key: id,
      subject_claim: 'sub',
      kind: 'human',
    };
    const flags = { algorithms: ['ES256'], jit: true, jit_role: 'reader', interactive: false, created_by: owner.id };
    const { db } = api.database;
    await db.tenant(tenant_id, (tx) => tx.oidcIssuer.create({ data: { tenant_id, id, ...said, ...flags } }));
    expect((await send(owner, 'DELETE', `/v1/roles/${role.body.id}`)).status).toBe(204);
    expect((await send(owner, 'GET', `/v1/oidc-issuers/${id}`)).body).toMatchObject({ jit: true, jit_role: null });
  });
});

describe('a project', () => {
  it('is renamed, and deleted while nothing refers to it', async () => {
    const { tenant_id, owner, member } = await team();
    const [books, other] = [
      await send(owner, 'POST', '/v1/projects', { name: 'Books' }),
      await send(owner, 'POST', '/v1/projects', { name: 'Other' }),
    ];
    const path = `/v1/projects/${books.body.id}`;
    expect((await send(owner, 'PUT', path, { name: 'Other' })).status).toBe(409);
    expect((await send(member, 'PUT', path, { name: 'Mine' })).status).toBe(403);
    expect((await send(owner, 'PUT', path, { name: 'Accounts' })).body).toMatchObject({ name: 'Accounts' });
    const { id } = await api.key(tenant_id, owner.id, { project_id: books.body.id });
    expect((await send(owner, 'DELETE', path)).status).toBe(409);
    await api.database.db.tenant(tenant_id, (tx) =>
      tx.apiKey.updateMany({ where: { id }, data: { project_id: null } }),
    );
    await send(owner, 'POST', `/v1/members/${member.id}/roles`, { role: 'auditor', project_id: books.body.id });
    expect((await send(member, 'DELETE', path)).status).toBe(403);
    expect((await send(owner, 'DELETE', path)).status).toBe(204);
    expect((await send(owner, 'GET', path)).status).toBe(404);
    expect((await send(owner, 'GET', `/v1/members/${member.id}`)).body).toMatchObject({ roles: [{ role: 'member' }] });
    expect((await send(owner, 'GET', `/v1/projects/${other.body.id}`)).status).toBe(200);
  });
});

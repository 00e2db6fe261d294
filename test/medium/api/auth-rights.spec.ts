import { randomUUID } from 'node:crypto';
import { makeGrant, makeProject } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Api } from './auth-harness.js';
import { callsOf, type Ids, type Signed } from './auth-team.js';

let api: Api;
beforeAll(async () => {
  api = await Api.start(2);
});
afterAll(() => api.stop());
const { post, get, remove, put, team, actions } = callsOf(() => api);

describe('grants', () => {
  it('are given, listed and taken away, each moving the epoch and audited', async () => {
    const { tenant_id, owner, agent } = await team();
    const before = await api.epoch(tenant_id);
    const body = { principal_id: agent, capability: 'verb.exec.write', pack_id: 'ledger', verb_keys: ['ledger.pay'] };
    const created = await post(owner, '/v1/grants', body);
    expect(created).toMatchObject({ status: 201, body: { ...body, created_by: owner.id } });
    expect(await api.epoch(tenant_id)).toBe(before + 1n);
    expect((await get(owner, `/v1/grants?principal_id=${agent}`)).body.items).toEqual([created.body]);
    expect((await remove(owner, `/v1/grants/${created.body.id}`)).status).toBe(204);
    expect((await remove(owner, `/v1/grants/${created.body.id}`)).status).toBe(404);
    expect(await api.epoch(tenant_id)).toBe(before + 2n);
    expect(await actions(tenant_id)).toEqual(expect.arrayContaining(['grant.create', 'grant.delete']));
  });

  it('count on the next call on every replica', async () => {
    const { owner, member } = await team();
    expect((await get(member, '/v1/audit', 1)).status).toBe(403);
    const { body } = await post(owner, '/v1/grants', { principal_id: member.id, capability: 'audit.read' });
    expect((await get(member, '/v1/audit', 1)).status).toBe(200);
    await remove(owner, `/v1/grants/${body.id}`);
    expect((await get(member, '/v1/audit', 1)).status).toBe(403);
  });

  it('never give more than the giver holds', async () => {
    const { tenant_id, admin, member, agent } = await team();
    const project = await makeProject(api.database.db, tenant_id, [member.id]);
    const grant = (who: Signed, body: object) => post(who, '/v1/grants', { principal_id: agent, ...body });
    expect((await grant(admin, { capability: 'tenant.manage' })).status).toBe(403);
    expect((await grant(admin, { capability: 'platform.manage' })).status).toBe(403);
    expect((await grant(member, { capability: 'verb.exec.read' })).status).toBe(403);
    await makeGrant(api.database.db, tenant_id, member.id, 'access.manage', { project_id: project.id });
    expect((await grant(member, { capability: 'verb.exec.read' })).status).toBe(403);
    expect((await grant(member, { capability: 'verb.exec.read', project_id: project.id })).status).toBe(201);
    expect((await grant(member, { capability: 'audit.read', project_id: project.id })).status).toBe(403);
    const ends = new Date(Date.now() + 60_000);
    await makeGrant(api.database.db, tenant_id, admin.id, 'fleet.run');
    await makeGrant(api.database.db, tenant_id, member.id, 'audit.read', { project_id: project.id, expires_at: ends });
    const narrow = { capability: 'audit.read', project_id: project.id };
    expect((await grant(member, narrow)).status).toBe(403);
    expect((await grant(member, { ...narrow, expires_at: new Date(ends.getTime() + 1000).toISOString() })).status).toBe(
      403,
    );
    expect((await grant(member, { ...narrow, expires_at: ends.toISOString() })).status).toBe(201);
    expect((await grant(admin, { capability: 'fleet.run' })).status).toBe(403);
  });

  it('are checked for sense: unknown people and projects, ends in the past, fields', async () => {
    const { owner, agent } = await team();
    const grant = (body: object) =>
      post(owner, '/v1/grants', { principal_id: agent, capability: 'audit.read', ...body });
    expect((await grant({ principal_id: randomUUID() })).status).toBe(404);
    expect((await grant({ project_id: randomUUID() })).status).toBe(404);
    expect((await grant({ expires_at: new Date(Date.now() - 1000).toISOString() })).status).toBe(400);
    expect((await grant({ capability: 'root' })).body).toMatchObject({ errors: [{ path: '/capability' }] });
    expect((await grant({ admin: true })).status).toBe(400);
    expect((await get(owner, '/v1/grants?cursor=abc')).body).toMatchObject({ errors: [{ path: '/cursor' }] });
  });

  it('come in pages without gaps', async () => {
    const { owner, agent } = await team();
    const made: string[] = [];
    for (let i = 0; i < 5; i++) {
      made.push((await post(owner, '/v1/grants', { principal_id: agent, capability: 'audit.read' })).body.id);
    }
    const seen: string[] = [];
    let cursor: string | null = '';
    do {
      const path: string = '/v1/grants?'.concat(`principal_id=${agent}&limit=2`, cursor ? `&cursor=${cursor}` : '');
      const page = await get<{ items: Ids[]; next_cursor: string | null }>(owner, path);
      seen.push(...page.body.items.map(({ id }) => id));
      cursor = page.body.next_cursor;
    } while (cursor);
    expect(seen).toEqual(made);
  });
});

describe('roles', () => {
  it('are defined no wider than their author, given, and taken from everyone when deleted', async () => {
    const { tenant_id, owner, admin, member } = await team();
    expect((await post(admin, '/v1/roles', { name: 'boss', grants: [{ capability: 'tenant.manage' }] })).status).toBe(
      403,
    );
    const grants = [{ capability: 'audit.read' }];
    const role = await post(owner, '/v1/roles', { name: 'reader', grants });
    expect(role).toMatchObject({ status: 201, body: { name: 'reader', built_in: false, grants } });
    expect((await post(owner, '/v1/roles', { name: 'reader', grants })).status).toBe(409);
    expect((await post(owner, '/v1/roles', { name: 'owner', grants })).status).toBe(409);
    const assigned = await post(owner, `/v1/members/${member.id}/roles`, { role: 'reader' });
    expect(assigned.status).toBe(201);
    expect((await post(owner, `/v1/members/${member.id}/roles`, { role: 'reader' })).status).toBe(409);
    expect((await get(member, '/v1/audit')).status).toBe(200);
    expect((await remove(owner, `/v1/roles/${role.body.id}`)).status).toBe(204);
    expect((await get(member, '/v1/audit')).status).toBe(403);
    const names = (await get<{ items: { name: string }[] }>(member, '/v1/roles')).body.items.map(({ name }) => name);
    expect(names).toEqual(['owner', 'admin', 'approver', 'member', 'auditor', 'agent']);
    expect(await actions(tenant_id)).toEqual(expect.arrayContaining(['role.create', 'role.assign', 'role.delete']));
  });

  it('are not given by who holds less, nor outside the project the giver manages', async () => {
    const { tenant_id, admin, member, agent } = await team();
    const project = await makeProject(api.database.db, tenant_id, [member.id]);
    const assign = (who: Signed, id: string, body: object) => post(who, `/v1/members/${id}/roles`, body);
    expect((await assign(admin, admin.id, { role: 'owner' })).status).toBe(403);
    expect((await assign(admin, member.id, { role: 'admin' })).status).toBe(201);
    expect((await assign(admin, agent, { role: 'nothing' })).status).toBe(400);
    const local = await api.signedIn(tenant_id);
    expect((await assign(admin, local.id, { role: 'admin', project_id: project.id })).status).toBe(201);
    expect((await assign(local, agent, { role: 'agent' })).status).toBe(403);
    expect((await assign(local, agent, { role: 'agent', project_id: project.id })).status).toBe(201);
    expect((await put(local, `/v1/projects/${project.id}/members/${agent}`)).status).toBe(204);
    expect((await assign(local, local.id, { role: 'owner', project_id: project.id })).status).toBe(403);
  });

  it('leave a tenant its last owner', async () => {
    const { owner, admin } = await team();
    const page = await get<{ items: { id: string; roles: { id: string; role: string }[] }[] }>(owner, '/v1/members');
    const assignment = page.body.items.find(({ id }) => id === owner.id)?.roles[0]?.id ?? '';
    const path = `/v1/members/${owner.id}/roles/${assignment}`;
    expect((await remove(admin, path)).status).toBe(409);
    await post(owner, `/v1/members/${admin.id}/roles`, { role: 'owner' });
    expect((await remove(admin, path)).status).toBe(204);
    expect((await get(owner, '/v1/members')).status).toBe(403);
  });
});

describe('API keys', () => {
  it('are shown once, stored hashed, work, and fail on the next call once revoked', async () => {
    const { tenant_id, owner, agent } = await team();
    const made = await post(owner, '/v1/api-keys', { name: 'ci', principal_id: agent });
    expect(made.body.key).toMatch(/^hcp_[0-9a-f]{32}_[A-Za-z0-9_-]{43}$/);
    const secret = made.body.key.slice(-43);
    const me = await get<object>({ token: made.body.key }, '/v1/me');
    expect(me.body).toMatchObject({
      principal: { id: agent, kind: 'agent' },
      session: { id: made.body.id, interactive: false },
      is_agent: true,
    });
    const listed = await get(owner, '/v1/api-keys');
    expect(listed.body.items.map(({ id }) => id)).toEqual([made.body.id]);
    const { name } = await api.database.db.tenant(tenant_id, (tx) =>
      tx.principal.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id, id: agent } } }),
    );
    expect([made.body, ...listed.body.items]).toMatchObject([{ principal_name: name }, { principal_name: name }]);
    const stored = await api.database.db.tenant(tenant_id, async (tx) => [
      await tx.apiKey.findMany(),
      (await tx.auditEvent.findMany()).map(({ seq: _seq, ...event }) => event),
    ]);
    expect(JSON.stringify([listed.body, stored])).not.toContain(secret);
    expect((await remove(owner, `/v1/api-keys/${made.body.id}`)).status).toBe(204);
    expect((await get({ token: made.body.key }, '/v1/me', 1)).status).toBe(401);
    expect(await actions(tenant_id)).toEqual(expect.arrayContaining(['api_key.create', 'api_key.revoke']));
  });

  it('are refused with another secret, after their end, or of another shape', async () => {
    const { tenant_id, agent } = await team();
    const { key } = await api.key(tenant_id, agent);
    const ended = await api.key(tenant_id, agent, { expires_at: new Date(Date.now() - 1000) });
    const forged = `${key.slice(0, -43)}${'A'.repeat(43)}`;
    for (const token of [
      forged,
      ended.key,
      key.slice(0, -1),
      `${key}A`,
      'hcp_',
      `hcp_${'0'.repeat(32)}_${'A'.repeat(43)}`,
    ]) {
      expect((await get({ token }, '/v1/me')).status).toBe(401);
    }
    expect((await get({ token: key }, '/v1/me')).status).toBe(200);
  });

  it('answer 429 to who guesses, before the secret is looked at', async () => {
    const { tenant_id, agent } = await team();
    const { key } = await api.key(tenant_id, agent);
    const forged = `${key.slice(0, -43)}${'A'.repeat(43)}`;
    for (let i = 0; i < 20; i++) expect((await get({ token: forged }, '/v1/me')).status).toBe(401);
    const limited = await get({ token: key }, '/v1/me');
    expect(limited).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(limited.headers.get('retry-after')).not.toBeNull();
  });

  it('are never minted wider than who mints them, or than the key that mints them', async () => {
    const { tenant_id, owner, admin, member, agent } = await team();
    await makeGrant(api.database.db, tenant_id, agent, 'tenant.manage');
    const mint = (who: { token: string }, body: object) => post(who, '/v1/api-keys', { name: 'k', ...body });
    // The agent holds more than the admin: its key would be a way up.
    expect((await mint(admin, { principal_id: agent })).status).toBe(403);
    expect((await mint(owner, { principal_id: agent })).status).toBe(201);
    expect((await mint(admin, { principal_id: agent, grants: [{ capability: 'audit.read' }] })).status).toBe(201);
    expect((await mint(member, { grants: [{ capability: 'audit.read' }] })).status).toBe(403);
    expect((await mint(member, { principal_id: agent })).status).toBe(403);
    // Nobody makes keys of another person, not even the owner.
    expect((await mint(owner, { principal_id: member.id })).status).toBe(403);
    const narrow = await mint(owner, { grants: [{ capability: 'audit.read' }, { capability: 'verb.exec.read' }] });
    const by_key = { token: narrow.body.key };
    expect((await mint(by_key, {})).status).toBe(403);
    expect((await mint(by_key, { grants: [{ capability: 'tenant.manage' }] })).status).toBe(403);
    expect((await mint(by_key, { grants: [{ capability: 'audit.read' }] })).status).toBe(201);
    expect((await get(by_key, '/v1/members')).status).toBe(403);
    expect((await post(by_key, '/v1/projects', { name: 'p' })).status).toBe(403);
  });

  it('bound to a project or an end leave none behind that is not', async () => {
    const { tenant_id, owner } = await team();
    const project = await makeProject(api.database.db, tenant_id, [owner.id]);
    const ends = new Date(Date.now() + 3_600_000);
    const bound = { token: (await api.key(tenant_id, owner.id, { project_id: project.id, expires_at: ends })).key };
    const mint = (body: object) => post(bound, '/v1/api-keys', { name: 'k', ...body });
    expect((await mint({})).status).toBe(403);
    const expires_at = new Date(ends.getTime() - 1000).toISOString();
    expect(await mint({ expires_at })).toMatchObject({ status: 201, body: { project_id: project.id } });
    const other = await makeProject(api.database.db, tenant_id, [owner.id]);
    expect((await mint({ expires_at, project_id: other.id })).status).toBe(403);
  });

  it('are listed to their owner alone, but for who manages access', async () => {
    const { tenant_id, owner, member } = await team();
    const own = await post(member, '/v1/api-keys', { name: 'mine' });
    const foreign = await api.key(tenant_id, owner.id);
    expect((await get(member, '/v1/api-keys')).body.items.map(({ id }) => id)).toEqual([own.body.id]);
    expect((await remove(member, `/v1/api-keys/${foreign.id}`)).status).toBe(404);
    expect((await get(owner, '/v1/api-keys')).body.items).toHaveLength(2);
  });
});

describe('agents and services', () => {
  it('act for the human who made the link, and only that human ends it', async () => {
    const { tenant_id, owner, admin } = await team();
    const made = await post(admin, '/v1/agents', { name: 'helper', kind: 'agent', acts_for_me: true });
    expect(made.body).toMatchObject({ acts_for: admin.id, kind: 'agent', disabled: false });
    const { id } = made.body;
    expect((await remove(owner, `/v1/agents/${id}/acts-for`)).status).toBe(404);
    expect((await remove(admin, `/v1/agents/${id}/acts-for`)).status).toBe(204);
    expect((await remove(admin, `/v1/agents/${id}/acts-for`)).status).toBe(404);
    expect(await actions(tenant_id)).toEqual(
      expect.arrayContaining(['agent.create', 'acts_for.create', 'acts_for.revoke']),
    );
    const body = { name: 'x', kind: 'agent', acts_for: owner.id };
    expect((await post(admin, '/v1/agents', body)).status).toBe(400);
  });

  it('may do only what both they and their human may, and nothing once that human is disabled', async () => {
    const { tenant_id, owner, member } = await team();
    const agent = await api.principal(tenant_id, 'agent', { acts_for: member.id });
    await makeGrant(api.database.db, tenant_id, agent, 'audit.read');
    const token = (await api.key(tenant_id, agent)).key;
    expect((await get({ token }, '/v1/audit')).status).toBe(403);
    await post(owner, '/v1/grants', { principal_id: member.id, capability: 'audit.read' });
    expect((await get({ token }, '/v1/audit')).status).toBe(200);
    await api.database.db.global((tx) =>
      tx.user.update({ where: { id: member.user_id }, data: { disabled_at: new Date() } }),
    );
    expect((await get({ token }, '/v1/audit', 1)).status).toBe(401);
    expect((await get(member, '/v1/me', 1)).status).toBe(401);
  });

  it('stop on the next call once disabled', async () => {
    const { tenant_id, owner, agent } = await team();
    const token = (await api.key(tenant_id, agent)).key;
    expect((await get({ token }, '/v1/me', 1)).status).toBe(200);
    expect((await remove(owner, `/v1/agents/${agent}`)).status).toBe(204);
    expect((await get({ token }, '/v1/me', 1)).status).toBe(401);
    expect((await remove(owner, `/v1/agents/${owner.id}`)).status).toBe(404);
  });

  it('are refused what belongs to people, whatever they were granted', async () => {
    const { tenant_id, owner, agent } = await team();
    const service = await api.principal(tenant_id, 'service');
    for (const id of [agent, service]) {
      for (const capability of ['access.manage', 'tenant.manage', 'audit.read'] as const) {
        await makeGrant(api.database.db, tenant_id, id, capability);
      }
    }
    const callers = [
      { token: (await api.key(tenant_id, agent)).key, headers: {} as Record<string, string> },
      { token: (await api.key(tenant_id, service)).key, headers: {} as Record<string, string> },
      { token: owner.token, headers: { 'hcp-agent': '1' } },
      { token: (await api.key(tenant_id, owner.id)).key, headers: { 'hcp-agent': '1' } },
    ];
    const calls: [string, string, object?][] = [
      ['POST', '/v1/grants', { principal_id: agent, capability: 'audit.read' }],
      ['GET', '/v1/grants'],
      ['DELETE', `/v1/grants/${randomUUID()}`],
      ['POST', '/v1/roles', { name: 'r', grants: [{ capability: 'audit.read' }] }],
      ['DELETE', `/v1/roles/${randomUUID()}`],
      ['POST', `/v1/members/${agent}/roles`, { role: 'auditor' }],
      ['GET', '/v1/members'],
      ['POST', '/v1/api-keys', { name: 'k' }],
      ['GET', '/v1/api-keys'],
      ['DELETE', `/v1/api-keys/${randomUUID()}`],
      ['POST', '/v1/agents', { name: 'a', kind: 'agent' }],
      ['DELETE', `/v1/agents/${agent}`],
      ['DELETE', `/v1/agents/${agent}/acts-for`],
      ['POST', '/v1/projects', { name: 'p' }],
      ['PUT', `/v1/projects/${randomUUID()}/members/${agent}`],
    ];
    for (const { token, headers } of callers) {
      for (const [method, path, body] of calls) {
        const answer = await api.call(method, path, { token, headers, ...(body ? { body } : {}) });
        expect({ method, path, status: answer.status, code: answer.body['code'] }).toEqual({
          method,
          path,
          status: 403,
          code: 'human_only',
        });
      }
      expect((await api.call('GET', '/v1/audit', { token, headers })).status).toBe(200);
    }
  });
});

import { randomUUID } from 'node:crypto';
import { makeGrant, makeProject } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Api } from './auth-harness.js';
import { callsOf } from './auth-team.js';

let api: Api;
beforeAll(async () => {
  api = await Api.start(2);
});
afterAll(() => api.stop());
const { post, get, remove, put, team, actions } = callsOf(() => api);

describe('tenants', () => {
  it('are stopped at once, for people and keys alike', async () => {
    const { tenant_id, owner, agent } = await team();
    const token = (await api.key(tenant_id, agent)).key;
    await api.database.db.tenant(tenant_id, (tx) =>
      tx.tenant.update({ where: { id: tenant_id }, data: { stopped_at: new Date() } }),
    );
    expect((await get(owner, '/v1/me', 1)).status).toBe(401);
    expect((await get({ token }, '/v1/me', 1)).status).toBe(401);
  });

  it('hide their things from each other on every route, as if they did not exist', async () => {
    const [a, b] = [await team(), await team()];
    const project = await makeProject(api.database.db, b.tenant_id, [b.owner.id]);
    const grant = await makeGrant(api.database.db, b.tenant_id, b.agent, 'audit.read');
    const role = await post(b.owner, '/v1/roles', { name: 'reader', grants: [{ capability: 'audit.read' }] });
    const key = await api.key(b.tenant_id, b.agent);
    const session = await post(b.owner, '/v1/sessions', {});
    const calls = (ids: Record<string, string>): [string, string, object?][] => [
      ['GET', `/v1/projects/${ids['project'] ?? ''}`],
      ['PUT', `/v1/projects/${ids['project'] ?? ''}/members/${a.agent}`],
      ['DELETE', `/v1/projects/${ids['project'] ?? ''}/members/${ids['agent'] ?? ''}`],
      ['POST', '/v1/sessions', { project_id: ids['project'] }],
      ['POST', '/v1/api-keys', { name: 'k', principal_id: ids['agent'] }],
      ['POST', '/v1/api-keys', { name: 'k', project_id: ids['project'] }],
      ['POST', '/v1/grants', { principal_id: ids['agent'], capability: 'audit.read' }],
      ['POST', '/v1/grants', { principal_id: a.agent, capability: 'audit.read', project_id: ids['project'] }],
      ['DELETE', `/v1/grants/${ids['grant'] ?? ''}`],
      ['DELETE', `/v1/roles/${ids['role'] ?? ''}`],
      ['POST', `/v1/members/${ids['agent'] ?? ''}/roles`, { role: 'agent' }],
      ['DELETE', `/v1/members/${ids['agent'] ?? ''}/roles/${ids['grant'] ?? ''}`],
      ['DELETE', `/v1/agents/${ids['agent'] ?? ''}`],
      ['DELETE', `/v1/agents/${ids['agent'] ?? ''}/acts-for`],
      ['DELETE', `/v1/api-keys/${ids['key'] ?? ''}`],
      ['DELETE', `/v1/sessions/${ids['session'] ?? ''}`],
    ];
    const foreign = { project: project.id, agent: b.agent, grant: grant.id, role: role.body.id, key: key.id };
    const nothing = Object.fromEntries(Object.keys({ ...foreign, session: '' }).map((name) => [name, randomUUID()]));
    const none = calls(nothing);
    for (const [index, [method, path, body]] of calls({ ...foreign, session: session.body.id }).entries()) {
      const answer = await api.call(method, path, { token: a.owner.token, ...(body ? { body } : {}) });
      const [, other = '', other_body] = none[index] ?? [];
      const unknown = await api.call(method, other, {
        token: a.owner.token,
        ...(other_body ? { body: other_body } : {}),
      });
      expect({ path, status: answer.status, body: answer.body }).toEqual({ path, status: 404, body: unknown.body });
    }
    for (const list of ['projects', 'grants', 'api-keys', 'members', 'agents', 'audit', 'sessions', 'roles']) {
      const text = JSON.stringify((await get(a.owner, `/v1/${list}`)).body);
      for (const id of Object.values(foreign)) expect(text).not.toContain(id);
    }
  });

  it('never mix: a role in one gives nothing in the other', async () => {
    const [a, b] = [await api.tenant(), await api.tenant()];
    const ada = await api.person(a, 'owner');
    await api.person(b, 'member', ada);
    const token = (await api.signIn(ada, b)).access_token;
    expect((await get({ token }, '/v1/members')).status).toBe(403);
    const mint = await post({ token }, '/v1/api-keys', { name: 'k', grants: [{ capability: 'tenant.manage' }] });
    expect(mint.status).toBe(403);
    expect((await get<{ tenant: { id: string } }>({ token }, `/v1/me?tenant_id=${a}`)).body.tenant.id).toBe(b);
  });
});

describe('projects', () => {
  it('are created with their first member, named once, and shown to members', async () => {
    const { tenant_id, owner, member, agent } = await team();
    const made = await post(owner, '/v1/projects', { name: 'Books' });
    expect(made.status).toBe(201);
    expect((await post(owner, '/v1/projects', { name: 'Books' })).status).toBe(409);
    expect((await post(member, '/v1/projects', { name: 'Other' })).status).toBe(403);
    const path = `/v1/projects/${made.body.id}`;
    expect((await get(member, path)).status).toBe(404);
    for (const id of [member.id, agent, agent]) expect((await put(owner, `${path}/members/${id}`)).status).toBe(204);
    expect((await get<{ members: string[] }>(member, path)).body.members.sort()).toEqual(
      [owner.id, member.id, agent].sort(),
    );
    expect((await get(member, '/v1/projects')).body.items.map(({ id }) => id)).toEqual([made.body.id]);
    expect((await remove(owner, `${path}/members/${member.id}`)).status).toBe(204);
    expect((await get(member, path)).status).toBe(404);
    expect((await actions(tenant_id)).filter((action) => action === 'project.add_member')).toHaveLength(2);
  });
});

describe('audit', () => {
  it('is read newest first, in pages, by filter, and only with audit.read', async () => {
    const { owner, member, agent } = await team();
    for (let i = 0; i < 3; i++) await post(owner, '/v1/grants', { principal_id: agent, capability: 'audit.read' });
    expect((await get(member, '/v1/audit')).status).toBe(403);
    const first = await get<{ items: { seq: string; action: string }[]; next_cursor: string }>(
      owner,
      '/v1/audit?action=grant.create&limit=2',
    );
    const second = await get<typeof first.body>(
      owner,
      `/v1/audit?action=grant.create&limit=2&cursor=${first.body.next_cursor}`,
    );
    const seqs = [...first.body.items, ...second.body.items].map(({ seq }) => Number(seq));
    expect(seqs).toHaveLength(3);
    expect(seqs).toEqual([...seqs].sort((one, two) => two - one));
    expect(second.body.next_cursor).toBeNull();
    expect((await get(owner, '/v1/audit?cursor=bm8')).status).toBe(400);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect((await get(owner, `/v1/audit?from=${encodeURIComponent(later)}`)).body.items).toEqual([]);
  });
});

import { randomUUID } from 'node:crypto';
import { makeProject } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Api } from './auth-harness.js';

let api: Api;
beforeAll(async () => {
  api = await Api.start(2);
});
afterAll(() => api.stop());

interface Session {
  id: string;
  packs: string[] | null;
  project_id: string | null;
  expires_at: string;
  interactive: boolean;
}

const open = (token: string, body: object, session?: string) =>
  api.call<Session & Record<string, unknown>>('POST', '/v1/sessions', {
    token,
    body,
    ...(session ? { headers: { 'hcp-session': session } } : {}),
  });
const me = (token: string, session?: string, replica = 0) =>
  api.call<{ session: Session; grants: unknown[][] }>('GET', '/v1/me', {
    token,
    replica,
    ...(session ? { headers: { 'hcp-session': session } } : {}),
  });

/** Activates a pack's name, which is all that a session asks for. */
async function activate(tenant_id: string, pack_id: string, project_id: string | null = null): Promise<void> {
  const id = randomUUID();
  const by = await api.principal(tenant_id, 'service');
  await api.database.db.tenant(tenant_id, async (tx) => {
    await tx.packVersion.create({
      data: {
        tenant_id,
        id,
        pack_id,
        version: `1.0.0-${id}`,
        digest: `sha256:${'0'.repeat(64)}`,
        manifest: {},
        surface: {},
        policy: {},
        archive: new Uint8Array(),
        created_by: by,
      },
    });
    await tx.packActivation.create({
      data: {
        ...{ tenant_id, id: randomUUID(), pack_id, version_id: id, version_tenant_id: tenant_id },
        ...{ project_id, activated_by: by },
      },
    });
  });
}

describe('explicit sessions', () => {
  it('narrow to a project and to active packs, and show it', async () => {
    const tenant_id = await api.tenant();
    const ada = await api.signedIn(tenant_id, 'owner');
    const project = await makeProject(api.database.db, tenant_id, [ada.id]);
    await activate(tenant_id, 'ledger');
    await activate(tenant_id, 'notes', project.id);
    const body = { project_id: project.id, packs: ['notes', 'ledger', 'ledger'], expires_in_s: 60 };
    const opened = await open(ada.token, body);
    expect(opened).toMatchObject({ status: 201, body: { project_id: project.id, packs: ['notes', 'ledger'] } });
    expect(Date.parse(opened.body.expires_at)).toBeLessThanOrEqual(Date.now() + 60_000);
    const narrow = await me(ada.token, opened.body.id);
    expect(narrow.body.session).toMatchObject({ id: opened.body.id, project_id: project.id, interactive: true });
    expect(narrow.body.grants).toHaveLength(3);
  });

  it('refuse packs that are not active there, by their place and not their name', async () => {
    const tenant_id = await api.tenant();
    const ada = await api.signedIn(tenant_id, 'owner');
    const project = await makeProject(api.database.db, tenant_id, [ada.id]);
    await activate(tenant_id, 'ledger');
    await activate(tenant_id, 'notes', project.id);
    const refused = await open(ada.token, { packs: ['ledger', 'notes'] });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: '/packs/1' }] } });
    expect((await open(ada.token, { packs: ['ledger', 'hcp-cli'] })).status).toBe(201);
  });

  it('refuse projects of another tenant and those the caller is no member of, as if they did not exist', async () => {
    const [tenant_id, other] = [await api.tenant(), await api.tenant()];
    const member = await api.signedIn(tenant_id, 'member');
    const own = await makeProject(api.database.db, tenant_id);
    const foreign = await makeProject(api.database.db, other, []);
    const answers = [];
    for (const project_id of [own.id, foreign.id, randomUUID()]) answers.push(await open(member.token, { project_id }));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(answers[0]?.body).toEqual(answers[2]?.body);
  });

  it('only get narrower when opened from each other, and die with the one they came from', async () => {
    const tenant_id = await api.tenant();
    const ada = await api.signedIn(tenant_id, 'owner');
    const project = await makeProject(api.database.db, tenant_id, [ada.id]);
    const second = await makeProject(api.database.db, tenant_id, [ada.id]);
    for (const pack of ['ledger', 'notes', 'mail']) await activate(tenant_id, pack);
    const outer = await open(ada.token, { project_id: project.id, packs: ['ledger', 'notes'], expires_in_s: 120 });
    expect((await open(ada.token, { packs: ['mail'] }, outer.body.id)).status).toBe(400);
    expect((await open(ada.token, { project_id: second.id }, outer.body.id)).status).toBe(404);
    const inner = await open(ada.token, { packs: ['notes'] }, outer.body.id);
    expect(inner.body).toMatchObject({ project_id: project.id, packs: ['notes'] });
    const inherited = await open(ada.token, {}, outer.body.id);
    expect(inherited.body).toMatchObject({ project_id: project.id, packs: ['ledger', 'notes'] });
    expect(Date.parse(inherited.body.expires_at)).toBeLessThanOrEqual(Date.parse(outer.body.expires_at));
    expect((await me(ada.token, inner.body.id)).status).toBe(200);
    expect((await api.call('DELETE', `/v1/sessions/${outer.body.id}`, { token: ada.token })).status).toBe(204);
    for (const { body } of [outer, inner, inherited]) expect((await me(ada.token, body.id, 1)).status).toBe(401);
    expect((await me(ada.token)).status).toBe(200);
  });

  it('are good only with the credential they were opened with', async () => {
    const tenant_id = await api.tenant();
    const [ada, bob] = [await api.signedIn(tenant_id, 'owner'), await api.signedIn(tenant_id, 'owner')];
    const service = await api.principal(tenant_id, 'service');
    const [one, two] = [await api.key(tenant_id, service), await api.key(tenant_id, service)];
    const again = (await api.signIn(ada)).access_token;
    const of_ada = (await open(ada.token, {})).body.id;
    const of_key = (await open(one.key, {})).body.id;
    expect((await me(ada.token, of_ada)).status).toBe(200);
    expect((await me(one.key, of_key)).status).toBe(200);
    for (const [token, session] of [
      [bob.token, of_ada],
      [again, of_ada],
      [one.key, of_ada],
      [two.key, of_key],
      [ada.token, of_key],
      [ada.token, one.id],
      [ada.token, randomUUID()],
      [ada.token, 'none'],
      [ada.token, ''],
    ] as const) {
      const headers = { 'hcp-session': session };
      expect((await api.call('GET', '/v1/me', { token, headers })).status).toBe(401);
    }
  });

  it('of a key are never interactive and end with the key', async () => {
    const tenant_id = await api.tenant();
    const ada = await api.person(tenant_id, 'owner');
    const key = await api.key(tenant_id, ada.id, { expires_at: new Date(Date.now() + 3_600_000) });
    const opened = await open(key.key, {});
    expect(opened.body).toMatchObject({ interactive: false });
    expect(Date.parse(opened.body.expires_at)).toBeLessThanOrEqual(Date.now() + 3_600_000);
    await api.database.db.tenant(tenant_id, (tx) =>
      tx.apiKey.updateMany({ where: { id: key.id }, data: { revoked_at: new Date() } }),
    );
    expect((await me(key.key, opened.body.id, 1)).status).toBe(401);
  });

  it('end by the clock of the database', async () => {
    const tenant_id = await api.tenant();
    const ada = await api.signedIn(tenant_id);
    const { id } = (await open(ada.token, {})).body;
    await api.database.db.tenant(tenant_id, (tx) =>
      tx.session.updateMany({ where: { id }, data: { expires_at: new Date(Date.now() - 1000) } }),
    );
    expect((await me(ada.token, id)).status).toBe(401);
  });

  it('are listed and ended by whoever they belong to, and by a narrow call only as far as it reaches', async () => {
    const tenant_id = await api.tenant();
    const [ada, bob] = [await api.signedIn(tenant_id, 'owner'), await api.signedIn(tenant_id, 'owner')];
    await activate(tenant_id, 'ledger');
    const narrow = (await open(ada.token, { packs: ['ledger'] })).body.id;
    const ids = async (session?: string) => {
      const headers = session ? { headers: { 'hcp-session': session } } : {};
      const page = await api.call<{ items: Session[] }>('GET', '/v1/sessions', { token: ada.token, ...headers });
      return page.body.items.map(({ id }) => id);
    };
    const own = (await me(ada.token)).body.session.id;
    expect((await ids()).sort()).toEqual([own, narrow].sort());
    expect(await ids(narrow)).toEqual([narrow]);
    expect((await api.call('DELETE', `/v1/sessions/${narrow}`, { token: bob.token })).status).toBe(404);
    const headers = { 'hcp-session': narrow };
    expect((await api.call('DELETE', `/v1/sessions/${own}`, { token: ada.token, headers })).status).toBe(404);
    expect((await me(ada.token)).status).toBe(200);
    expect((await api.call('DELETE', `/v1/sessions/${own}`, { token: ada.token })).status).toBe(204);
    expect((await me(ada.token)).status).toBe(401);
  });

  it('keep a narrow call narrow on the routes that manage rights', async () => {
    const tenant_id = await api.tenant();
    const ada = await api.signedIn(tenant_id, 'owner');
    const project = await makeProject(api.database.db, tenant_id, [ada.id]);
    const other = await makeProject(api.database.db, tenant_id, [ada.id]);
    const agent = await api.principal(tenant_id, 'agent');
    const headers = { 'hcp-session': (await open(ada.token, { project_id: project.id })).body.id };
    const post = (path: string, body: object) => api.call('POST', path, { token: ada.token, headers, body });
    const grant = { principal_id: agent, capability: 'verb.exec.read' };
    expect((await post('/v1/grants', grant)).status).toBe(403);
    expect((await post('/v1/grants', { ...grant, project_id: other.id })).status).toBe(403);
    expect((await post('/v1/grants', { ...grant, project_id: project.id })).status).toBe(201);
    expect((await post('/v1/projects', { name: 'more' })).status).toBe(403);
    expect((await post('/v1/roles', { name: 'wide', grants: [{ capability: 'audit.read' }] })).status).toBe(403);
    expect((await post(`/v1/members/${agent}/roles`, { role: 'agent' })).status).toBe(403);
    expect((await api.call('GET', '/v1/grants', { token: ada.token, headers })).status).toBe(403);
    const key = await api.call<{ project_id: string }>('POST', '/v1/api-keys', {
      token: ada.token,
      headers,
      body: { name: 'k' },
    });
    expect(key).toMatchObject({ status: 201, body: { project_id: project.id } });
    const projects = await api.call<{ items: { id: string }[] }>('GET', '/v1/projects', { token: ada.token, headers });
    expect(projects.body.items.map(({ id }) => id)).toEqual([project.id]);
    expect((await api.call('GET', `/v1/projects/${other.id}`, { token: ada.token, headers })).status).toBe(404);
  });
});

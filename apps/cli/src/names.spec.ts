import { describe, expect, it } from 'vitest';
import { AT, hcpx, ID, problem, startApi, tempDir, type Handlers } from './testing/harness.js';

const OTHER = '5a1c2f86-5f0a-4f4b-9d70-0b8a6a1c9a22';
const page = (...items: object[]) => ({ json: { items, next_cursor: null } });
const member = (id: string, name: string, email?: string) => ({
  id,
  kind: 'agent',
  name,
  ...(email === undefined ? {} : { email }),
  acts_for: null,
  disabled: false,
  roles: [],
  projects: [],
});
const project = (id: string, name: string) => ({ id, name, created_at: AT });
const key = {
  id: ID,
  name: 'ci',
  principal_id: OTHER,
  principal_name: 'robot',
  project_id: null,
  grants: null,
  expires_at: null,
  revoked_at: null,
  created_at: AT,
};
const made: Handlers = { 'POST /v1/api-keys': () => ({ status: 201, json: { ...key, key: 'hcp_secret' } }) };

async function as(handlers: Handlers, argv: string[]) {
  const { url, calls } = await startApi(handlers);
  const done = await hcpx(argv, { home: await tempDir(), vars: { HCP_URL: url, HCP_TOKEN: 'hcp_key' } });
  const last = calls.at(-1);
  const body: unknown = last?.method === 'POST' && last.body.length > 0 ? JSON.parse(String(last.body)) : null;
  return { ...done, calls, body };
}

describe('a name in place of an id', () => {
  it('is taken for a principal and a project, and the end in days', async () => {
    const done = await as(
      {
        ...made,
        'GET /v1/members': () => page(member(OTHER, 'robot'), member(ID, 'other')),
        'GET /v1/projects': () => page(project(ID, 'Blue')),
      },
      ['keys', 'create', 'ci', '--for', 'robot', '--project', 'Blue', '--expires', '30d'],
    );
    expect(done.code).toBe(0);
    expect(done.body).toEqual({
      name: 'ci',
      principal_id: OTHER,
      project_id: ID,
      expires_at: '2026-01-31T00:00:00.000Z',
    });
  });

  it('is looked for among the agents where the members are not shown', async () => {
    const agent = { id: OTHER, kind: 'agent', name: 'robot', acts_for: null, disabled: false, keys: 1, created_at: AT };
    const handlers = {
      ...made,
      'GET /v1/members': () => problem(403, 'missing_capability'),
      'GET /v1/agents': () => page(agent),
    };
    expect((await as(handlers, ['keys', 'create', 'ci', '--for', 'robot'])).body).toMatchObject({
      principal_id: OTHER,
    });
  });

  it.each([
    ['two have', page(member(OTHER, 'robot'), member(ID, 'x', 'robot')), /more than one principal/],
    ['nobody has', page(member(ID, 'x')), /--for: no principal of this name[^]*hcpx agents list/],
  ])('that %s is refused before anything is made', async (_, answer, message) => {
    const handlers = { ...made, 'GET /v1/members': () => answer };
    const done = await as(handlers, ['keys', 'create', 'ci', '--for', 'robot']);
    expect(done.code).toBe(2);
    expect(done.err).toMatch(message);
    expect(done.calls.map(({ method }) => method)).toEqual(['GET']);
  });
});

describe('hcpx keys revoke', () => {
  const revoked = { ...key, id: OTHER, revoked_at: AT };
  it('takes the name of the key that counts', async () => {
    const handlers = { 'GET /v1/api-keys': () => page(revoked, key), [`DELETE /v1/api-keys/${ID}`]: () => ({}) };
    const done = await as(handlers, ['keys', 'revoke', 'ci']);
    expect(done).toMatchObject({ code: 0, err: 'ci is revoked\n' });
    expect(done.calls.at(-1)?.url).toBe(`/v1/api-keys/${ID}`);
  });

  it.each([
    ['two', page(key, { ...key, id: OTHER }), /more than one API key[^]*5a1c2f86/],
    ['none', page(revoked), /no API key of this name/],
  ])('revokes nothing where %s has the name', async (_, answer, message) => {
    const done = await as({ 'GET /v1/api-keys': () => answer }, ['keys', 'revoke', 'ci']);
    expect(done.code).toBe(2);
    expect(done.err).toMatch(message);
    expect(done.calls.map(({ method }) => method)).toEqual(['GET']);
  });
});

describe('hcpx tenants', () => {
  const tenant = (id: string, slug: string, name: string) => ({
    id,
    slug,
    name,
    platform: false,
    stopped_at: null,
    created_at: AT,
  });
  it('take the slug, which is one tenant’s alone, before a name', async () => {
    const handlers = {
      'GET /v1/tenants': () => page(tenant(OTHER, 'other', 'acme'), tenant(ID, 'acme', 'Acme Inc')),
      [`POST /v1/tenants/${ID}/stop`]: () => ({}),
    };
    const done = await as(handlers, ['tenants', 'stop', 'acme']);
    expect(done.calls.at(-1)?.url).toBe(`/v1/tenants/${ID}/stop`);
    expect((await as(handlers, ['tenants', 'stop', 'nobody'])).code).toBe(2);
  });
});

describe('hcpx bindings', () => {
  const binding = (id: string, state: string) => ({
    ...{ id, pack_id: 'ledger', family: 'user', kind: 'secret', principal_id: ID, project_id: null },
    ...{ fields: ['token'], version: 1, state, expires_at: null, revoked_at: null },
    ...{ stale_reason: null, account: null, account_name: null, scopes: [], token_expires_at: null },
    ...{ created_by: ID, created_at: AT, rotated_by: ID, rotated_at: AT },
  });
  it('take the pack where it has one that counts', async () => {
    const handlers = {
      'GET /v1/bindings': () => page(binding(OTHER, 'revoked'), binding(ID, 'expired')),
      [`DELETE /v1/bindings/${ID}`]: () => ({}),
    };
    const done = await as(handlers, ['bindings', 'revoke', 'ledger']);
    expect(done.calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/bindings?pack_id=ledger',
      `DELETE /v1/bindings/${ID}`,
    ]);
  });

  it('ask which where there are two, and send no word that is neither', async () => {
    const two = { 'GET /v1/bindings': () => page(binding(OTHER, 'active'), binding(ID, 'active')) };
    expect((await as(two, ['bindings', 'revoke', 'ledger'])).err).toMatch(/more than one binding/);
    expect(await as({}, ['bindings', 'rotate', 'S3cret!'])).toMatchObject({ code: 2, calls: [] });
  });
});

describe('--project by name', () => {
  it.each([
    ['pack activate', ['pack', 'activate', 'ledger', '--project', 'Blue'], 'PUT', '/v1/packs/ledger/activation'],
    ['pack deactivate', ['pack', 'deactivate', 'ledger', '--project', 'Blue'], 'DELETE', '/v1/packs/ledger/activation'],
    ['commands', ['commands', '--project', 'Blue'], 'GET', '/v1/commands'],
    ['access', ['access', '--project', 'Blue'], 'GET', '/v1/access'],
    ['mode', ['mode', 'manual', '--project', 'Blue'], 'PUT', '/v1/access/mode'],
    ['rules', ['rules', '--project', 'Blue'], 'GET', '/v1/access/rules'],
    ['deny', ['deny', '*', '--project', 'Blue'], 'POST', '/v1/access/rules'],
  ])('is sent as the id: %s', async (_, words, method, path) => {
    const done = await as({ 'GET /v1/projects': () => page(project(ID, 'Blue')) }, words);
    const call = done.calls.at(-1);
    expect([call?.method, call?.url.split('?')[0]]).toEqual([method, path]);
    expect(`${call?.url ?? ''} ${String(call?.body)}`).toContain(ID);
  });
});

describe('hcpx grants create', () => {
  const grant = { id: ID, principal_id: OTHER, capability: 'verb.exec.read', pack_id: 'ledger', created_at: AT };
  const commands = (...verbs: string[]): Handlers => ({
    'POST /v1/grants': () => ({ status: 201, json: { ...grant, created_by: null } }),
    'GET /v1/commands': () =>
      page(
        ...verbs.map((verb_key) => ({
          pack_id: 'ledger',
          verb_key,
          description: 'x',
          operation: 'read',
          confirm: false,
          land: 'public',
          access: 'allow',
          reason: null,
          code: null,
        })),
      ),
  });

  it.each([
    ['verb.exec.read:ledger:balanc', ['balance'], /no command balanc now. Did you mean balance\?/],
    ['verb.exec.read:ledgr', [], /no active pack ledgr/],
  ])('warns of what nothing has: %s', async (right, verbs, message) => {
    const done = await as(commands(...verbs), ['grants', 'create', OTHER, right]);
    expect(done.code).toBe(0);
    expect(done.err).toMatch(message);
  });

  it('is silent about what is there', async () => {
    expect((await as(commands('balance'), ['grants', 'create', OTHER, 'verb.exec.read:ledger:balance'])).err).toBe('');
  });
});

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
});
const project = (id: string, name: string) => ({ id, name, created_at: AT });
const key = {
  id: ID,
  name: 'ci',
  principal_id: OTHER,
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
  const body: unknown = last?.method === 'POST' ? JSON.parse(String(last.body)) : null;
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
    const agent = { id: OTHER, kind: 'agent', name: 'robot', acts_for: null, disabled: false, created_at: AT };
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

describe('--project by name', () => {
  it.each([
    ['pack activate', ['pack', 'activate', 'ledger', '--project', 'Blue'], 'PUT', '/v1/packs/ledger/activation'],
    ['pack deactivate', ['pack', 'deactivate', 'ledger', '--project', 'Blue'], 'DELETE', '/v1/packs/ledger/activation'],
    ['commands', ['commands', '--project', 'Blue'], 'GET', '/v1/commands'],
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

import { describe, expect, it } from 'vitest';
import { AT, hcpx, ID, problem, startApi, tempDir, type Call, type Handlers } from './testing/harness.js';

const OTHER = '5a1c2f86-5f0a-4f4b-9d70-0b8a6a1c9a22';

/** Runs these words as somebody with a key, against a small API. */
async function as(handlers: Handlers, argv: string[], options: { stdin?: string } = {}) {
  const { url, calls } = await startApi(handlers);
  const home = await tempDir();
  const vars = { HCP_URL: url, HCP_TOKEN: 'hcp_key' };
  return { ...(await hcpx(argv, { home, vars, ...options })), calls, url };
}
const bodyOf = (call: Call | undefined): unknown => JSON.parse(call?.body.toString() ?? 'null');
const page = (...items: object[]) => ({ json: { items, next_cursor: null } });

const key = {
  id: ID,
  name: 'ci',
  principal_id: OTHER,
  principal_name: 'robot',
  project_id: null,
  grants: [{ capability: 'verb.exec.write', pack_id: 'ledger', verb_keys: ['ledger.add'] }],
  expires_at: null,
  revoked_at: null,
  created_at: AT,
};
const tenant = { id: ID, slug: 'acme', name: 'Acme', platform: false, stopped_at: null, created_at: AT };
const invitation = {
  id: ID,
  email: 'ada@example.com',
  role: 'owner',
  project_id: null,
  state: 'open',
  expires_at: AT,
  created_by: null,
  created_at: AT,
};
const issuer = {
  id: ID,
  issuer: 'https://id.example.com',
  audience: 'hcp',
  algorithms: ['ES256'],
  kind: 'service',
  subject_claim: 'sub',
  email_claim: null,
  jit: true,
  jit_role: 'auditor',
  interactive: false,
  created_by: OTHER,
  created_at: AT,
};

describe('hcpx keys', () => {
  it('shows a new key once, alone on standard output', async () => {
    const done = await as({ 'POST /v1/api-keys': () => ({ status: 201, json: { ...key, key: 'hcp_secret' } }) }, [
      'keys',
      'create',
      'ci',
      '--for',
      OTHER,
      '--grant',
      'verb.exec.write:ledger:ledger.add',
      '--expires',
      AT,
    ]);
    expect(done).toMatchObject({ code: 0, out: 'hcp_secret\n' });
    expect(done.err).not.toContain('hcp_secret');
    expect(bodyOf(done.calls[0])).toEqual({ name: 'ci', principal_id: OTHER, grants: key.grants, expires_at: AT });
  });

  it('lists without secrets, also when nothing but the group is named', async () => {
    const done = await as({ 'GET /v1/api-keys': () => page(key) }, ['keys']);
    expect(done.out).toBe(`${[ID, 'ci', 'robot', '*', 'verb.exec.write:ledger:ledger.add', 'ok', '-'].join('\t')}\n`);
  });

  it('refuses a grant that cannot be read before anything is sent', async () => {
    for (const grant of ['everything', 'verb.exec.read:', 'verb.exec.read:a:b:c', 'verb.exec.read:ledger:']) {
      const done = await as({}, ['keys', 'create', 'x', '--grant', grant]);
      expect([grant, done.code, done.calls.length]).toEqual([grant, 2, 0]);
    }
  });

  it('revokes', async () => {
    const done = await as({ [`DELETE /v1/api-keys/${ID}`]: () => ({}) }, ['keys', 'revoke', ID, '--json']);
    expect(done).toMatchObject({ code: 0, out: `${JSON.stringify({ ok: true, id: ID })}\n` });
  });
});

describe('hcpx grants and roles', () => {
  it('give what the words say', async () => {
    const given = {
      id: ID,
      principal_id: OTHER,
      capability: 'audit.read',
      project_id: ID,
      created_by: null,
      created_at: AT,
    };
    const grant = await as({ 'POST /v1/grants': () => ({ status: 201, json: given }) }, [
      ...['grants', 'create', OTHER, 'audit.read', '--project', ID],
    ]);
    expect(grant.code).toBe(0);
    expect(bodyOf(grant.calls[0])).toEqual({ principal_id: OTHER, capability: 'audit.read', project_id: ID });
    expect(grant.out).toContain(`audit.read in ${ID}`);
    const role = {
      id: ID,
      name: 'reader',
      built_in: false,
      grants: [{ capability: 'audit.read' }, { capability: 'run.read' }],
    };
    const made = await as({ 'POST /v1/roles': () => ({ status: 201, json: role }) }, [
      ...['roles', 'create', 'reader', '--grant', 'audit.read', 'run.read'],
    ]);
    expect(bodyOf(made.calls[0])).toEqual({ name: 'reader', grants: role.grants });
  });

  it('say who may when the caller may not', async () => {
    const done = await as({ 'POST /v1/grants': () => problem(403, 'missing_capability') }, [
      ...['grants', 'create', OTHER, 'tenant.manage'],
    ]);
    expect(done.code).toBe(4);
  });
});

describe('hcpx members and agents', () => {
  it('stop and let go on', async () => {
    const handlers = { [`POST /v1/members/${ID}/disable`]: () => ({}), [`POST /v1/members/${ID}/enable`]: () => ({}) };
    expect((await as(handlers, ['members', 'disable', ID])).code).toBe(0);
    expect((await as(handlers, ['members', 'enable', ID])).code).toBe(0);
    const stopped = { pack_id: 'ledger', stopped: true, stopped_at: AT, stopped_by: ID };
    const pack = await as({ 'POST /v1/packs/ledger/stop': () => ({ json: stopped }) }, ['pack', 'stop', 'ledger']);
    expect(pack).toMatchObject({ code: 0, err: 'ledger is stopped\n' });
  });

  it('make agents and services', async () => {
    const agent = { id: ID, kind: 'service', name: 'bot', acts_for: OTHER, disabled: false, created_at: AT };
    const done = await as({ 'POST /v1/agents': () => ({ status: 201, json: agent }) }, [
      ...['agents', 'create', 'bot', '--service', '--acts-for-me'],
    ]);
    expect(bodyOf(done.calls[0])).toEqual({ name: 'bot', kind: 'service', acts_for_me: true });
  });
});

describe('hcpx invitations and tenants', () => {
  it('show the link once, or say that it was mailed', async () => {
    const link = 'https://hcp.example.com/invitation#hcpi_secret';
    const made = (shown: string | null): Handlers => ({
      'POST /v1/tenants': () => ({ status: 201, json: { ...tenant, invitation: { ...invitation, link: shown } } }),
    });
    const words = ['tenants', 'create', 'acme', '--owner', 'ada@example.com'];
    const shown = await as(made(link), words);
    expect(shown).toMatchObject({ code: 0, out: `${link}\n` });
    expect(bodyOf(shown.calls[0])).toEqual({ slug: 'acme', name: 'acme', owner_email: 'ada@example.com' });
    const mailed = await as(made(null), words);
    expect(mailed.out).toContain('ada@example.com');
    expect(mailed.out).not.toContain('hcpi_');
  });

  it('accept by the link alone, with the password from standard input', async () => {
    const accepted = { tenant_id: ID, principal_id: OTHER, email: 'ada@example.com' };
    const { url, calls } = await startApi({ 'POST /v1/invitations/accept': () => ({ status: 201, json: accepted }) });
    const words = ['invitations', 'accept', `${url}/invitation#hcpi_x`, '--name', 'Ada', '--password-stdin'];
    const done = await hcpx(words, { home: await tempDir(), stdin: 'a long password\n' });
    expect(done.code).toBe(0);
    expect(bodyOf(calls[0])).toEqual({ token: 'hcpi_x', name: 'Ada', password: 'a long password' });
    expect(calls[0]?.headers.authorization).toBeUndefined();
    expect((await hcpx(['invitations', 'accept', 'hcpi_x'], { home: await tempDir() })).code).toBe(2);
  });

  it('list tenants, stopped ones too', async () => {
    const done = await as({ 'GET /v1/tenants': () => page({ ...tenant, stopped_at: AT }) }, ['tenants', 'list']);
    expect(done.out).toContain(`stopped since ${AT}`);
  });
});

describe('hcpx issuers', () => {
  it('send only what was said', async () => {
    const handlers = {
      'POST /v1/oidc-issuers': () => ({ status: 201, json: issuer }),
      [`PUT /v1/oidc-issuers/${ID}`]: () => ({ json: issuer }),
    };
    const made = await as(handlers, [
      'issuers',
      'create',
      issuer.issuer,
      '--kind',
      'service',
      '--jit',
      '--jit-role',
      'auditor',
    ]);
    expect(bodyOf(made.calls[0])).toEqual({ issuer: issuer.issuer, kind: 'service', jit: true, jit_role: 'auditor' });
    const changed = await as(handlers, ['issuers', 'update', ID, '--no-interactive', '--algorithm', 'ES256']);
    expect(bodyOf(changed.calls[0])).toEqual({ interactive: false, algorithms: ['ES256'] });
  });
});

describe('hcpx projects', () => {
  it('make, rename and delete', async () => {
    const project = { id: ID, name: 'Books', created_at: AT };
    const handlers = {
      'POST /v1/projects': () => ({ status: 201, json: project }),
      [`PUT /v1/projects/${ID}`]: () => ({ json: project }),
      [`DELETE /v1/projects/${ID}`]: () => problem(409, 'conflict', { detail: 'runs refer to it' }),
    };
    expect((await as(handlers, ['projects', 'create', 'Books', '--json'])).out).toBe(`${JSON.stringify(project)}\n`);
    const renamed = await as(handlers, ['projects', 'rename', ID, 'Books']);
    expect(bodyOf(renamed.calls[0])).toEqual({ name: 'Books' });
    const deleted = await as(handlers, ['projects', 'delete', ID]);
    expect(deleted.code).toBe(1);
    expect(deleted.err).toContain('runs refer to it');
  });
});

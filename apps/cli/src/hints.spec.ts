import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AT, hcpx, ID, me, problem, startApi, tempDir, tokens, type Handlers } from './testing/harness.js';

async function as(
  handlers: Handlers,
  argv: string[],
  more: { stdin?: string; vars?: object; answers?: string[] } = {},
) {
  const { url, calls } = await startApi(handlers);
  const home = await tempDir();
  const vars = { HCP_URL: url, HCP_TOKEN: 'hcp_id_topsecret', ...more.vars };
  return { ...(await hcpx(argv, { ...more, home, vars })), calls, url, home };
}

describe('refusals say what helps', () => {
  it('what is in the way is no fault of the API', async () => {
    const { err } = await as({ [`DELETE /v1/projects/${ID}`]: () => problem(409, 'conflict', { detail: 'in use' }) }, [
      'projects',
      'delete',
      ID,
    ]);
    expect(err).toBe('error: in use\n');
  });

  it('a refusal that no grant would lift sends nobody for a grant', async () => {
    const second = problem(403, 'forbidden', { detail: 'a second person has to approve what you asked for' });
    const mode = problem(403, 'forbidden', { detail: 'the tenant does not set member_access' });
    const handlers = { [`POST /v1/approvals/${ID}/reject`]: () => second, 'PUT /v1/access/mode': () => mode };
    expect((await as(handlers, ['reject', ID])).err).toBe(
      'error: a second person has to approve what you asked for\nLet another person who may decide run hcpx approve.\n',
    );
    expect((await as(handlers, ['mode', 'manual', '--own'])).err).toBe(
      'error: the tenant does not set member_access\n',
    );
  });

  it('HCP_AGENT is named where it is why; what is for HTTP is left out', async () => {
    const detail =
      'only a person may do this, whatever was granted; let a person do it who signs in by POST /v1/auth/token, without the header HCP-Agent';
    const handlers = { 'GET /v1/grants': () => problem(403, 'human_only', { detail }) };
    const agents = await as(handlers, ['grants'], { vars: { HCP_AGENT: '1' } });
    expect(agents).toMatchObject({ code: 4 });
    expect(agents.err).toContain('HCP_AGENT is set here');
    const { err } = await as(handlers, ['grants']);
    expect(err).toContain('error: only a person may do this, whatever was granted\n');
  });

  it('fields are named as they were typed, in words', async () => {
    const errors = [
      { path: '/principal_id', message: 'Invalid UUID' },
      { path: '/password', message: 'Too small: expected string to have >=12 characters' },
      { path: '/grants/0/capability', message: 'is no capability' },
    ];
    const refused = () => problem(400, 'invalid_request', { detail: 'invalid', errors });
    const { code, err } = await as({ 'POST /v1/api-keys': refused }, ['keys', 'create', 'x']);
    expect(code).toBe(2);
    expect(err).toContain('--for');
    expect(err).toContain('the password needs at least 12 characters');
    expect(err).toContain('--grant/capability is no capability');
  });

  it('one wrong field is said once', async () => {
    const errors = [{ path: '/url', message: 'must name a host' }];
    const refused = () => problem(400, 'invalid_request', { detail: 'url must name a host', errors });
    const { err } = await as({ 'POST /v1/webhooks': refused }, ['webhooks', 'add', 'https://x']);
    expect(err).toBe('error: url must name a host\nChange the arguments; --help shows them.\n');
  });

  it('a token of the environment that is not good is named, because it wins over a sign-in', async () => {
    const { err } = await as({ 'GET /v1/me': () => problem(401, 'unauthenticated') }, ['whoami']);
    expect(err).toContain('HCP_TOKEN is not good');
    expect(err).toContain('unset it');
    expect(err).not.toContain('topsecret');
  });

  it('a run that had ended is not called cancelled', async () => {
    const ended = {
      id: ID,
      status: 'succeeded',
      pack_id: 'ledger',
      verb_key: 'balance',
      operation: 'read',
      land: 'public',
      principal_id: ID,
      principal_kind: 'human',
      principal_name: 'Ada',
      acts_for_name: null,
      acts_for: null,
      project_id: null,
      pack_version: '1.0.0',
      pack_digest: `sha256:${'0'.repeat(64)}`,
      created_at: AT,
      started_at: AT,
      finished_at: AT,
      duration_ms: 12,
      timeout_ms: 60_000,
      ok: true,
      code: null,
      exit_code: 0,
      truncated: false,
      attempts: 1,
      arg_names: [],
      output_erased_at: null,
    };
    const { err } = await as({ [`POST /v1/runs/${ID}/cancel`]: () => ({ json: ended }) }, ['runs', 'cancel', ID]);
    expect(err).toContain('had ended already (succeeded)');
  });
});

describe('hcpx login', () => {
  it('refuses an empty password before anything is sent', async () => {
    const done = await as({}, ['login', '--email', 'a@b.c', '--password-stdin'], { stdin: '\n' });
    expect(done).toMatchObject({ code: 2, calls: [] });
    expect(done.err).toContain('the password is empty');
  });

  it('says that a key was refused, and not to sign in', async () => {
    const done = await as({ 'GET /v1/me': () => problem(401, 'unauthenticated') }, ['login', '--token', 'hcp_bad']);
    expect(done.err).toContain('refused this key');
    expect(done.err).not.toContain('hcp_bad');
  });

  it('says when HCP_TOKEN goes on winning, and logout keeps the address', async () => {
    const handlers: Handlers = {
      'POST /v1/auth/token': () => ({ json: tokens('1') }),
      'POST /v1/auth/logout': () => ({}),
      'GET /v1/me': () => ({ json: me() }),
    };
    const done = await as(handlers, ['login', '--email', 'a@b.c', '--password-stdin'], { stdin: 'secret' });
    expect(done.err).toContain('HCP_TOKEN is set and wins');
    await hcpx(['logout', '--url', done.url], { home: done.home });
    expect(JSON.parse(await readFile(join(done.home, 'hosts.json'), 'utf8'))).toMatchObject({
      current: done.url,
      hosts: {},
    });
  });
});

describe('hcpx invitations accept', () => {
  const accepted = { tenant_id: ID, principal_id: ID, email: 'ada@example.com' };
  const path = 'POST /v1/invitations/accept';

  it('takes link and password from standard input', async () => {
    const api = await startApi({ [path]: () => ({ status: 201, json: accepted }) });
    const stdin = `${api.url}/invitation#hcpi_x\npass word \n`;
    const words = ['invitations', 'accept', '--name', 'Ada', '--password-stdin'];
    expect(await hcpx(words, { home: await tempDir(), stdin })).toMatchObject({ code: 0 });
    expect(JSON.parse(String(api.calls[0]?.body))).toEqual({ token: 'hcpi_x', name: 'Ada', password: 'pass word ' });
  });

  it('asks for the link where a person can answer', async () => {
    const api = await startApi({ [path]: () => ({ status: 201, json: accepted }) });
    const answers = [`${api.url}/invitation#hcpi_x`, 'Ada', 'secret'];
    expect(await hcpx(['invitations', 'accept'], { home: await tempDir(), answers })).toMatchObject({ code: 0 });
  });

  it.each([
    [{}, 'new invitation'],
    [{ errors: [{ path: '/password', message: 'is another' }] }, 'password that you have'],
  ])('says what to do when it is refused', async (more, hint) => {
    const api = await startApi({ [path]: () => problem(401, 'invalid_credentials', { detail: 'no', ...more }) });
    const words = ['invitations', 'accept', `${api.url}/invitation#hcpi_x`, '--name', 'Ada', '--password-stdin'];
    const { code, err } = await hcpx(words, { home: await tempDir(), stdin: 'x' });
    expect(code).toBe(1);
    expect(err).toContain(hint);
    expect(err).not.toContain('hcpx login again');
  });
});

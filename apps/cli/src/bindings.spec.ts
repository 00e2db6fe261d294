import { describe, expect, it } from 'vitest';
import { AT, DIGEST, hcpx, ID, problem, startApi, tempDir } from './testing/harness.js';

const SECRET = 'a secret-value';

const binding = (extra: object = {}): object => ({
  ...{ id: ID, pack_id: 'ledger', family: 'user', kind: 'secret', principal_id: ID, project_id: null },
  ...{ fields: ['token'], version: 1, state: 'active', expires_at: null, revoked_at: null },
  ...{ stale_reason: null, account: null, account_name: null, scopes: [], token_expires_at: null },
  ...{ created_by: ID, created_at: AT, rotated_by: ID, rotated_at: AT },
  ...extra,
});

const pack = (fields: string[] | null) => ({
  ...{ pack_id: 'ledger', name: 'Ledger', description: 'Books.', kind: 'wrap', platform: false, commands: [] },
  ...{ stopped: false, command_count: 0, needs_binding: false, provider: null },
  versions: [{ version: '1.0.0', digest: DIGEST, created_at: AT, created_by: ID, created_by_name: 'mia' }],
  activations: [],
  version: '1.0.0',
  ...(fields && { binding: { families: ['user'], provider: null, fields, uses: [], ways: [] } }),
});

async function world(fields: string[] | null = ['token']) {
  const { url, calls } = await startApi({
    'GET /v1/packs/ledger': () => ({ json: pack(fields) }),
    'GET /v1/bindings': () => ({ json: { items: [binding()], next_cursor: null } }),
    'POST /v1/bindings': () => ({ status: 201, json: binding() }),
    [`POST /v1/bindings/${ID}/rotate`]: () => ({ json: binding({ version: 2 }) }),
    [`DELETE /v1/bindings/${ID}`]: () => ({}),
  });
  const sent = (): unknown => JSON.parse(String(calls.at(-1)?.body));
  return { calls, sent, options: { home: await tempDir(), vars: { HCP_URL: url, HCP_TOKEN: 'key' } } };
}

describe('hcpx bindings', () => {
  it('lists them, with and without the word', async () => {
    const { options } = await world();
    for (const argv of [['bindings'], ['bindings', 'list']]) {
      const { code, out } = await hcpx(argv, options);
      expect(code).toBe(0);
      expect(out).toContain(`${ID}\tledger\tyou\tactive\t1\ttoken`);
    }
  });

  it('reads the one secret from standard input as it is, and repeats it nowhere', async () => {
    const { options, sent } = await world();
    const done = await hcpx(['bindings', 'add', 'ledger'], { ...options, stdin: `${SECRET}\n` });
    expect(done.code).toBe(0);
    expect(done.out + done.err).not.toContain(SECRET);
    expect(sent()).toEqual({ pack_id: 'ledger', family: 'user', kind: 'secret', fields: { token: SECRET } });
  });

  it('asks a person for each field, without echo', async () => {
    const { options, sent } = await world(['user', 'password']);
    const argv = ['bindings', 'add', 'ledger', '--shared', '--project', ID, '--expires', AT];
    const done = await hcpx(argv, { ...options, answers: ['someone', SECRET] });
    expect(done.code).toBe(0);
    const fields = { user: 'someone', password: SECRET };
    expect(sent()).toMatchObject({ fields, shared: true, project_id: ID, expires_at: AT });
  });

  it('reads several fields from standard input as one JSON object, and says so where it is none', async () => {
    const { options, sent } = await world(['user', 'password']);
    const fields = { user: 'someone', password: SECRET };
    await hcpx(['bindings', 'add', 'ledger'], { ...options, stdin: JSON.stringify(fields) });
    expect(sent()).toMatchObject({ fields });
    for (const stdin of ['', SECRET, '[]', `{"user": 1, "password": "${SECRET}"}`]) {
      const wrong = await hcpx(['bindings', 'add', 'ledger'], { ...options, stdin });
      expect(wrong.code).toBe(2);
      expect(wrong.err).toContain('user, password');
      expect(wrong.out + wrong.err).not.toContain(SECRET);
    }
  });

  it('takes no secret on the command line', async () => {
    const { options, calls } = await world();
    for (const argv of [
      ['bindings', 'add', 'ledger', SECRET],
      ['bindings', 'add', 'ledger', '--token', SECRET],
    ]) {
      expect((await hcpx(argv, options)).code).toBe(2);
    }
    expect(calls).toEqual([]);
  });

  it('rotates, and revokes', async () => {
    const { options, calls, sent } = await world();
    const rotated = await hcpx(['bindings', 'rotate', ID, '--json'], { ...options, stdin: SECRET });
    expect(JSON.parse(rotated.out)).toMatchObject({ version: 2 });
    expect(sent()).toEqual({ fields: { token: SECRET } });
    expect((await hcpx(['bindings', 'revoke', ID], options)).code).toBe(0);
    expect(calls.at(-1)?.url).toBe(`/v1/bindings/${ID}`);
    await hcpx(['bindings', 'revoke', ID, '--forget'], options);
    expect(calls.at(-1)?.url).toBe(`/v1/bindings/${ID}?forget=1`);
  });

  it('stores nothing for a pack that needs nothing, and exits 4 where an agent asks', async () => {
    const { options, calls } = await world(null);
    expect((await hcpx(['bindings', 'add', 'ledger'], { ...options, stdin: SECRET })).code).toBe(1);
    expect(calls).toHaveLength(1);
    const { url } = await startApi({ 'GET /v1/bindings': () => problem(403, 'human_only') });
    const refused = await hcpx(['bindings'], { ...options, vars: { ...options.vars, HCP_URL: url } });
    expect(refused.code).toBe(4);
  });
});

describe('hcpx connect', () => {
  const started = {
    connection_id: ID,
    authorize_url: 'https://hcp.example.com/v1/connections/x/start?ticket=t',
    code: 'BCDF-GHJK',
    expires_at: AT,
  };
  const connection = (more: object) => ({
    id: ID,
    pack_id: 'ledger',
    provider: 'ledger.example',
    status: 'connected',
    reason: null,
    binding_id: ID,
    expires_at: AT,
    ...more,
  });
  async function connecting(answers: object[]) {
    const { url } = await startApi({
      'POST /v1/bindings/connect': () => ({ status: 201, json: started }),
      [`GET /v1/connections/${ID}`]: () => ({ json: connection(answers.shift() ?? {}) }),
    });
    return { home: await tempDir(), vars: { HCP_URL: url, HCP_TOKEN: 'key' } };
  }

  it('prints the link and its code, and waits until it is done', async () => {
    const { code, err } = await hcpx(
      ['connect', 'ledger'],
      await connecting([{ status: 'pending', binding_id: null }]),
    );
    expect(code).toBe(0);
    for (const shown of [started.authorize_url, started.code, 'connected to ledger.example'])
      expect(err).toContain(shown);
  });

  it('opens a browser for a person at a terminal who does not say no, and for nobody else', async () => {
    for (const [words, answers, pages] of [
      [[], [], 1],
      [['--no-browser'], [], 0],
      [[], undefined, 0],
    ] as const) {
      const opened: string[] = [];
      await hcpx(['connect', 'ledger', ...words], {
        ...(await connecting([])),
        opened,
        ...(answers && { answers: [...answers] }),
      });
      expect(opened).toEqual(Array.from({ length: pages }, () => started.authorize_url));
    }
  });

  it('says why it failed, and what to do', async () => {
    const failed = { status: 'failed', binding_id: null, reason: 'The provider says that access was denied.' };
    const { code, err } = await hcpx(['connect', 'ledger'], await connecting([failed]));
    expect(code).toBe(1);
    expect(err).toContain('access was denied');
    expect(err).toContain('hcpx connect ledger');
  });

  it('waits for nobody where it is told so', async () => {
    const { code, out } = await hcpx(['connect', 'ledger', '--no-wait', '--json'], await connecting([]));
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual(started);
  });
});

describe('a binding that went stale', () => {
  it('is listed with what makes it good again', async () => {
    const { url } = await startApi({
      'GET /v1/bindings': () => ({
        json: {
          items: [binding({ kind: 'oauth2_code', state: 'stale', stale_reason: 'refused' })],
          next_cursor: null,
        },
      }),
    });
    const { err } = await hcpx(['bindings'], { home: await tempDir(), vars: { HCP_URL: url, HCP_TOKEN: 'key' } });
    expect(err).toContain('is stale: hcpx connect');
  });
});

import { chmod, mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { AT, DIGEST, hcpx, ID, me, problem, startApi, tempDir, type Handlers } from './testing/harness.js';

const MANIFEST = {
  pack_id: 'ledger',
  name: 'Ledger',
  version: '1.0.0',
  description: 'Money.',
  kind: 'wrap',
  binding: { family: 'public' },
  wrap: { bin: 'bin/ledger' },
};
const SURFACE = { commands: { balance: { description: 'Show it.', cli: ['ledger', 'balance'] } } };
const POLICY = { commands: { balance: { operation: 'read', confirm: false, privacy: { land: 'public' } } } };

async function packDir(): Promise<string> {
  const dir = join(await tempDir(), 'pack');
  await mkdir(join(dir, 'bin'), { recursive: true });
  await mkdir(join(dir, '.git'));
  await writeFile(join(dir, '.git', 'config'), 'hidden');
  await writeFile(join(dir, '.env'), 'TOKEN=1');
  await writeFile(join(dir, 'manifest.json'), JSON.stringify(MANIFEST));
  await writeFile(join(dir, 'surface.json'), JSON.stringify(SURFACE));
  await writeFile(join(dir, 'policy.json'), JSON.stringify(POLICY));
  await writeFile(join(dir, 'bin', 'ledger'), '#!/bin/sh\n');
  await chmod(join(dir, 'bin', 'ledger'), 0o700);
  return dir;
}

async function setup(handlers: Handlers) {
  const api = await startApi(handlers);
  return { api, home: await tempDir(), vars: { HCP_URL: api.url, HCP_TOKEN: 'hcp_id_topsecret' } };
}

describe('hcpx check', () => {
  it('passes a sound pack without an API', async () => {
    const done = await hcpx(['check', await packDir(), '--json'], { home: await tempDir() });
    expect(done.code).toBe(0);
    expect(JSON.parse(done.out)).toMatchObject({ ok: true, pack: { pack_id: 'ledger', version: '1.0.0' } });
  });

  it('shows what is wrong and fails', async () => {
    const dir = await packDir();
    await writeFile(join(dir, 'policy.json'), '{');
    const done = await hcpx(['check', dir], { home: await tempDir() });
    expect(done.code).toBe(1);
    expect(done.out).toMatch(/^error/);
  });

  it('refuses what is no folder', async () => {
    expect((await hcpx(['check', '/nowhere/at/all'], { home: await tempDir() })).code).toBe(2);
  });
});

describe('hcpx pack push', () => {
  const handlers: Handlers = {
    'POST /v1/packs': () => ({
      status: 201,
      json: { pack_id: 'ledger', version: '1.0.0', digest: DIGEST, findings: [] },
    }),
    'PUT /v1/packs/ledger/activation': () => ({
      json: { pack_id: 'ledger', version: '1.0.0', digest: DIGEST, project_id: null, activated_at: AT },
    }),
  };

  it('sends the same bytes for the same files, sorted, without owner, time or hidden files', async () => {
    const { api, home, vars } = await setup(handlers);
    const [first, second] = [await packDir(), await packDir()];
    await utimes(join(second, 'manifest.json'), new Date(5), new Date(5));
    await hcpx(['pack', 'push', first], { home, vars });
    await hcpx(['pack', 'push', second], { home, vars });
    const [one, two] = api.calls;
    expect(one?.headers['content-type']).toBe('application/gzip');
    expect(one?.body.equals(two?.body ?? Buffer.alloc(0))).toBe(true);

    const entries: unknown[] = [];
    const tar = extract();
    Readable.from([gunzipSync(one?.body ?? Buffer.alloc(0))]).pipe(tar);
    for await (const entry of tar) {
      const { name, mode, uid, gid, uname, mtime } = entry.header;
      entries.push([name, mode, uid, gid, uname, mtime.getTime()]);
      entry.resume();
    }
    expect(entries).toEqual([
      ['bin/ledger', 0o755, 0, 0, '', 0],
      ['manifest.json', 0o644, 0, 0, '', 0],
      ['policy.json', 0o644, 0, 0, '', 0],
      ['surface.json', 0o644, 0, 0, '', 0],
    ]);
  });

  it('activates exactly the version it installed', async () => {
    const { api, home, vars } = await setup(handlers);
    const done = await hcpx(['pack', 'push', await packDir(), '--activate', '--json'], { home, vars });
    expect(JSON.parse(done.out)).toMatchObject({ pack_id: 'ledger', activated: true });
    expect(JSON.parse(String(api.calls[1]?.body))).toEqual({ version: '1.0.0' });
  });

  it('warns of a program that the pack does not bring', async () => {
    const { home, vars } = await setup(handlers);
    const dir = await packDir();
    expect((await hcpx(['pack', 'push', dir], { home, vars })).err).not.toContain('warning');
    await writeFile(join(dir, 'manifest.json'), JSON.stringify({ ...MANIFEST, wrap: { bin: 'git' } }));
    expect((await hcpx(['pack', 'push', dir], { home, vars })).err).toContain('git is no file of the pack');
  });

  it('refuses links by name and sends nothing', async () => {
    const { api, home, vars } = await setup(handlers);
    const dir = await packDir();
    await symlink('/etc/passwd', join(dir, 'data'));
    const done = await hcpx(['pack', 'push', dir], { home, vars });
    expect(done.code).toBe(1);
    expect(done.err).toContain('data is neither a file nor a folder');
    expect(api.calls).toEqual([]);
  });

  it('tells each thing that the API found', async () => {
    const { home, vars } = await setup({
      'POST /v1/packs': () =>
        problem(422, 'invalid_pack', {
          detail: 'the pack has errors',
          errors: [{ path: 'policy.json#/commands', message: 'no row' }],
        }),
    });
    const done = await hcpx(['pack', 'push', await packDir()], { home, vars });
    expect(done.code).toBe(1);
    expect(done.err).toContain('policy.json#/commands no row');
  });
});

describe('hcpx runs', () => {
  const run = {
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
    pack_digest: DIGEST,
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
    arg_names: ['account'],
    output_erased_at: null,
  };

  it('lists by default, as tab-separated lines in a pipe', async () => {
    const { api, home, vars } = await setup({ 'GET /v1/runs': () => ({ json: { items: [run], next_cursor: null } }) });
    const done = await hcpx(['runs', '--status', 'succeeded', '--limit', '3'], { home, vars });
    expect(done.out).toBe(`${ID}\tsucceeded\tledger.balance\t-\t12\t${AT}\tAda\n`);
    expect(api.calls[0]?.url).toBe('/v1/runs?limit=3&status=succeeded');
  });

  it('shows one with its result', async () => {
    const { home, vars } = await setup({ [`GET /v1/runs/${ID}`]: () => ({ json: { ...run, result: { total: 1 } } }) });
    expect((await hcpx(['runs', 'show', ID], { home, vars })).out).toContain('{"total":1}');
  });

  it('shows which hosts one reached, and which it was not let reach', async () => {
    const egress = {
      contacted: [{ host: 'api.test', port: 443, connections: 1, bytes_sent: 5, bytes_received: 7 }],
      refused: [{ host: 'evil\u001b[2J.test', port: 80, code: 'not_declared', count: 2 }],
      more: false,
    };
    const { home, vars } = await setup({ [`GET /v1/runs/${ID}`]: () => ({ json: { ...run, egress } }) });
    const { out } = await hcpx(['runs', 'show', ID], { home, vars });
    expect(out).toContain('api.test:443');
    expect(out).toContain('evil\\u001b[2J.test:80 (not_declared)');
  });

  it('says of one whose output is gone when it was erased', async () => {
    const { home, vars } = await setup({ [`GET /v1/runs/${ID}`]: () => ({ json: { ...run, output_erased_at: AT } }) });
    expect((await hcpx(['runs', 'show', ID], { home, vars })).out).toContain(`erased ${AT}`);
  });

  it('follows one: output as it is written, and the exit code of its end', async () => {
    const event = (data: object) => `data: ${JSON.stringify({ run_id: ID, ...data })}\n\n`;
    const { home, vars } = await setup({
      [`GET /v1/runs/${ID}/events`]: () => ({
        events:
          event({ type: 'state', status: 'running', attempt: 1, at: AT }) +
          event({ type: 'output', attempt: 1, stream: 'stdout', text: 'half a ' }) +
          event({ type: 'output', attempt: 1, stream: 'stdout', text: 'line\n' }) +
          event({ type: 'output', attempt: 1, stream: 'stderr', text: 'warned\n' }) +
          event({ type: 'end', status: 'failed', ok: false, code: 'exit_nonzero', exit_code: 3 }),
      }),
    });
    const done = await hcpx(['runs', 'watch', ID], { home, vars });
    expect(done).toEqual({ code: 1, out: 'half a line\n', err: 'running\nwarned\nfailed: exit_nonzero\n' });
  });

  it('says where the worker was lost that the command begins anew', async () => {
    const event = (data: object) => `data: ${JSON.stringify({ run_id: ID, ...data })}\n\n`;
    const { home, vars } = await setup({
      [`GET /v1/runs/${ID}/events`]: () => ({
        events:
          event({ type: 'output', attempt: 1, stream: 'stdout', text: 'half' }) +
          event({ type: 'state', status: 'running', attempt: 2, at: AT }) +
          event({ type: 'output', attempt: 2, stream: 'stdout', text: 'whole\n' }) +
          event({ type: 'end', status: 'succeeded', ok: true, code: null, exit_code: 0 }),
      }),
    });
    const { err } = await hcpx(['runs', 'watch', ID], { home, vars });
    expect(err).toContain('the worker was lost: what follows is of another start of the command');
  });

  it('cancels one', async () => {
    const { home, vars } = await setup({
      [`POST /v1/runs/${ID}/cancel`]: () => ({ json: { ...run, status: 'running', ok: null, finished_at: null } }),
    });
    expect((await hcpx(['runs', 'cancel', ID], { home, vars })).err).toContain('cancel requested');
  });

  it('says the same of a run that is not there and one of somebody else', async () => {
    const { home, vars } = await setup({});
    const done = await hcpx(['runs', 'show', ID, '--json'], { home, vars });
    expect(done.code).toBe(1);
    expect(JSON.parse(done.out)).toMatchObject({ ok: false, code: 'not_found' });
  });
});

describe('refusals', () => {
  it('of the API end with 4 and name the next step', async () => {
    const { home, vars } = await setup({
      'GET /v1/audit': () => problem(403, 'missing_capability', { detail: 'missing audit.read' }),
    });
    const done = await hcpx(['audit', '--limit', '5', '--pack', 'ledger'], { home, vars });
    expect(done).toMatchObject({ code: 4, out: '' });
    expect(done.err).toContain('missing audit.read');
    expect(done.err).toContain('whoami');
  });

  it.each([
    [['runs', 'show']],
    [['audit', '--limit', '0']],
    [['audit', '--decision', 'maybe']],
    [['runs', 'nothing']],
    [['whoami', 'x']],
  ])('of bad usage end with 2: %j', async (words) => {
    const { home, vars } = await setup({});
    expect((await hcpx(words, { home, vars })).code).toBe(2);
  });

  it('of a missing address say how to give one', async () => {
    const done = await hcpx(['commands'], { home: await tempDir() });
    expect(done.code).toBe(2);
    expect(done.err).toContain('hcpx login');
  });
});

describe('hcpx doctor', () => {
  const ready = {
    status: 'ready',
    database: 'ok',
    queue: 'ok',
    sandbox: { driver: 'bubblewrap', detail: 'works here' },
  };

  it('is content where everything works', async () => {
    const { home, vars } = await setup({
      'GET /healthz': () => ({ json: { status: 'ok' } }),
      'GET /readyz': () => ({ json: ready }),
      'GET /v1/me': () => ({ json: me() }),
    });
    const done = await hcpx(['doctor'], { home, vars });
    expect(done.code).toBe(0);
    expect(done.out).toContain('bubblewrap: works here');
  });

  it('names what does not, each with what to do', async () => {
    const { home, vars } = await setup({
      'GET /healthz': () => ({ json: { status: 'ok' } }),
      'GET /readyz': () => ({
        status: 503,
        json: {
          ...ready,
          status: 'not_ready',
          queue: 'failed',
          sandbox: { driver: null, detail: 'apt-get install bubblewrap' },
        },
      }),
      'GET /v1/me': () => problem(401, 'unauthenticated'),
    });
    const done = await hcpx(['doctor', '--json'], { home, vars });
    expect(done.code).toBe(1);
    const { checks } = JSON.parse(done.out) as { checks: { name: string; ok: boolean; fix?: string }[] };
    expect(checks.filter((check) => !check.ok).map((check) => check.name)).toEqual(['parts', 'sandbox', 'credentials']);
    expect(checks.filter((check) => !check.ok).every((check) => (check.fix ?? '') !== '')).toBe(true);
  });

  it('stops at an API that does not answer', async () => {
    const done = await hcpx(['doctor'], {
      home: await tempDir(),
      vars: { HCP_URL: 'http://127.0.0.1:1', HCP_TOKEN: 'x' },
    });
    expect(done.code).toBe(1);
    expect(done.out).toMatch(/FAIL {2}api/);
  });
});

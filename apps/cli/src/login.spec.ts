import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AT, hcpx, ID, me, problem, startApi, tempDir, tokens } from './testing/harness.js';

const later = (seconds: number): Date => new Date(Date.parse(AT) + seconds * 1000);

describe('hcpx login', () => {
  it('asks for the password, and keeps the tokens where only the user can read them', async () => {
    const home = join(await tempDir(), 'store');
    const api = await startApi({
      'POST /v1/auth/token': () => ({ json: tokens('1') }),
      'GET /v1/me': () => ({ json: me() }),
    });
    const done = await hcpx(['login', '--url', `${api.url}/`, '--email', 'ada@example.com'], {
      home,
      answers: ['pass word'],
    });

    expect(done).toMatchObject({ code: 0, out: '' });
    expect(done.err).toContain('signed in');
    expect(JSON.parse(String(api.calls[0]?.body))).toEqual({ email: 'ada@example.com', password: 'pass word' });
    expect((await stat(join(home, 'hosts.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    expect(`${done.out}${done.err}`).not.toMatch(/access-|refresh-|pass word/);

    const who = await hcpx(['whoami', '--json'], { home });
    expect(JSON.parse(who.out)).toMatchObject({ principal: { name: 'Ada' } });
    expect(api.calls.at(-1)?.headers.authorization).toBe('Bearer access-1');
  });

  it('takes the password from standard input without its line end', async () => {
    const api = await startApi({
      'POST /v1/auth/token': () => ({ json: tokens('1') }),
      'GET /v1/me': () => ({ json: me() }),
    });
    const done = await hcpx(['login', '--url', api.url, '--email', 'a@b.c', '--password-stdin', '--json'], {
      home: await tempDir(),
      stdin: ' secret \n',
    });
    expect(JSON.parse(done.out)).toMatchObject({ ok: true, url: api.url });
    expect(JSON.parse(String(api.calls[0]?.body))).toMatchObject({ password: ' secret ' });
  });

  it('names the tenants to choose from', async () => {
    const api = await startApi({
      'POST /v1/auth/token': () => problem(409, 'tenant_required', { tenants: [{ id: ID, name: 'Ac\u202eme' }] }),
    });
    const done = await hcpx(['login', '--url', api.url, '--email', 'a@b.c', '--password-stdin'], {
      home: await tempDir(),
      stdin: 'x',
    });
    expect(done.code).toBe(2);
    expect(done.err).toContain('--tenant');
    expect(done.err).toContain(`${ID}  Ac\\u202eme`);
  });

  it('stores no key that the API refuses', async () => {
    const home = await tempDir();
    const api = await startApi({ 'GET /v1/me': () => problem(401, 'unauthenticated') });
    const done = await hcpx(['login', '--url', api.url, '--token', '-'], { home, stdin: 'hcp_id_supersecret\n' });
    expect(done.code).toBe(1);
    expect(`${done.out}${done.err}`).not.toContain('supersecret');
    await expect(stat(join(home, 'hosts.json'))).rejects.toThrow();
  });

  it('does not hang where nobody can be asked', async () => {
    const done = await hcpx(['login', '--url', 'http://127.0.0.1:1'], { home: await tempDir() });
    expect(done.code).toBe(2);
    expect(done.err).toContain('--password-stdin');
  });
});

describe('stored credentials', () => {
  async function signedIn(handlers: Parameters<typeof startApi>[0]) {
    const home = await tempDir();
    const api = await startApi({
      'POST /v1/auth/token': () => ({ json: tokens('1') }),
      'GET /v1/me': () => ({ json: me() }),
      ...handlers,
    });
    await hcpx(['login', '--url', api.url, '--email', 'a@b.c', '--password-stdin'], { home, stdin: 'x' });
    api.calls.length = 0;
    return { home, api };
  }

  it('are renewed once by processes that need them at the same time', async () => {
    let spent = 0;
    const { home, api } = await signedIn({ 'POST /v1/auth/refresh': () => ({ json: tokens(String(++spent + 1)) }) });
    const all = await Promise.all(
      Array.from({ length: 6 }, () => hcpx(['whoami', '--json'], { home, now: later(890) })),
    );
    expect(all.map((each) => each.code)).toEqual([0, 0, 0, 0, 0, 0]);
    const refreshes = api.calls.filter((call) => call.url === '/v1/auth/refresh');
    expect(refreshes.map((call) => JSON.parse(String(call.body)) as unknown)).toEqual([{ refresh_token: 'refresh-1' }]);
    expect(await readFile(join(home, 'hosts.json'), 'utf8')).toContain('refresh-2');
  });

  it('are renewed when the API refuses a token before its time', async () => {
    const { home, api } = await signedIn({
      'POST /v1/auth/refresh': () => ({ json: tokens('2') }),
      'GET /v1/me': (call) =>
        call.headers.authorization === 'Bearer access-2' ? { json: me() } : problem(401, 'unauthenticated'),
    });
    await writeFile(
      join(home, 'hosts.json'),
      JSON.stringify({
        version: 1,
        current: api.url,
        hosts: {
          [api.url]: {
            kind: 'tokens',
            access_token: 'access-1',
            refresh_token: 'refresh-1',
            expires_at: later(900),
            email: 'a@b.c',
          },
        },
      }),
    );
    expect((await hcpx(['whoami'], { home })).code).toBe(0);
    expect(api.calls.map((call) => call.url)).toContain('/v1/auth/refresh');
  });

  it('that ended say to sign in again', async () => {
    const { home } = await signedIn({
      'POST /v1/auth/refresh': () => problem(401, 'invalid_credentials'),
      'GET /v1/me': (call) =>
        call.headers.authorization === undefined ? problem(401, 'unauthenticated') : { json: me() },
    });
    const done = await hcpx(['whoami'], { home, now: later(5000) });
    expect(done).toMatchObject({ code: 1, out: '' });
    expect(done.err).toContain('hcpx login');
  });

  it('go to no other address', async () => {
    const { home } = await signedIn({});
    const other = await startApi({ 'GET /v1/me': () => problem(401, 'unauthenticated') });
    await hcpx(['whoami', '--url', other.url], { home });
    expect(other.calls.map((call) => call.headers.authorization)).toEqual([undefined]);
  });

  it('are forgotten on logout, also where the API is down', async () => {
    const { home } = await signedIn({ 'POST /v1/auth/logout': () => problem(500, 'internal') });
    expect((await hcpx(['logout'], { home })).code).toBe(0);
    expect(await readFile(join(home, 'hosts.json'), 'utf8')).not.toContain('access-1');
  });

  it('in a damaged file are named by path, never by content', async () => {
    const home = await tempDir();
    await writeFile(join(home, 'hosts.json'), '{"access_token": "secret-thing"');
    const done = await hcpx(['whoami'], { home });
    expect(done.code).toBe(1);
    expect(done.err).toContain('hosts.json is damaged');
    expect(done.err).not.toContain('secret-thing');
  });
});

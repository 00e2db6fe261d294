import { execFile } from 'node:child_process';
import { createServer as createTls } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import {
  checkedFetch,
  connectChecked,
  EgressError,
  resolveChecked,
  safeFetch,
  type SafeFetchOptions,
} from '@hcp/egress';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { selfSigned } from './certificates.js';
import { listening, type Listening, Names, serve } from './servers.js';

const names = new Names();
const { key, cert } = selfSigned(['api.test', 'other.test', 'rebound.test', '127.0.0.1']);
let api: Omit<Listening, 'seen'>;
let plain: Listening;
let trap: Listening;
let last: { headers: IncomingMessage['headers']; method: string; body: string };
let requests = 0;

beforeAll(async () => {
  const server = createTls({ key, cert }, (request, response) => {
    requests += 1;
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      last = { headers: request.headers, method: request.method ?? '', body };
      const path = request.url ?? '';
      const [, status, to] = /^\/(30\d)\/(.*)$/.exec(path) ?? [];
      if (status !== undefined) {
        return void response.writeHead(Number(status), { location: decodeURIComponent(to ?? '') }).end();
      }
      if (path === '/big') return void response.end('x'.repeat(100_000));
      if (path === '/endless') {
        const more = setInterval(() => response.write('x'.repeat(60_000)), 1);
        return void response.once('close', () => clearInterval(more));
      }
      if (path === '/silent') return;
      if (path === '/begun') return void response.write('begun');
      if (path === '/gzip') {
        return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('hello'));
      }
      response.writeHead(path === '/missing' ? 404 : 200, { 'x-answer': 'yes' }).end(`hello ${request.headers.host}`);
    });
  });
  api = await listening(server);
  plain = await serve((request, response) => {
    if (request.url === '/up') return void response.writeHead(302, { location: at('api.test') }).end();
    response.end('plain');
  });
  trap = await serve(undefined, { host: '127.0.0.2', port: api.port });
});
afterAll(async () => {
  await Promise.all([api.close(), plain.close(), trap.close()]);
});
beforeEach(() => {
  for (const name of ['api.test', 'other.test', 'wrong.test', 'plain.test']) names.set(name, ['127.0.0.1']);
  names.set('inner.test', ['127.0.0.2']).set('rebound.test', ['127.0.0.1'], ['127.0.0.2']);
  names.asked.length = 0;
  requests = 0;
});

const at = (host: string, path = '/'): string => `https://${host}:${api.port}${path}`;
const to = (status: number, url: string): string => at('api.test', `/${status}/${encodeURIComponent(url)}`);
const policy = (): SafeFetchOptions => ({
  allow_private: [`127.0.0.1:${api.port}`, `127.0.0.1:${plain.port}`],
  resolve: names.resolve,
  ca: cert,
});
const get = (url: string, options: SafeFetchOptions = {}) => safeFetch(url, { ...policy(), ...options });

describe('safeFetch', () => {
  it('gets an answer, whatever its status', async () => {
    const answer = await get(at('api.test'));
    expect(answer).toMatchObject({ ok: true, status: 200, url: at('api.test') });
    if (!answer.ok) return;
    expect(answer.body.toString()).toBe(`hello api.test:${api.port}`);
    expect(answer.headers.get('x-answer')).toBe('yes');
    expect(await get(at('api.test', '/missing'))).toMatchObject({ ok: true, status: 404 });
    expect(await get(at('127.0.0.1'))).toMatchObject({ ok: true, status: 200 });
  });

  it('sends a body and headers, but none that are ours to say', async () => {
    await get(at('api.test'), {
      method: 'post',
      headers: { 'X-Mine': '1', Host: 'evil.test', 'Content-Length': '1', 'Transfer-Encoding': 'chunked' },
      body: 'grüße',
    });
    expect(last).toMatchObject({ method: 'POST', body: 'grüße' });
    expect(last.headers).toMatchObject({ 'x-mine': '1', host: `api.test:${api.port}`, 'content-length': '7' });
    expect(await get(at('api.test'), { method: 'GET\r\nX: y' })).toMatchObject({ ok: false, code: 'bad_request' });
  });

  it('refuses a private address, a local name, http and credentials before it connects', async () => {
    const before = api.connections() + trap.connections();
    for (const url of [
      at('inner.test'),
      at('127.0.0.2'),
      at('localhost'),
      at('[::1]'),
      at('user:secret@api.test'),
      at('2130706433'),
      `http://plain.test:${plain.port}/`,
      'https://169.254.169.254/latest/meta-data/',
      'https://0.0.0.0/',
      'https:///',
      'not a url',
    ]) {
      const answer = await get(url);
      expect(answer.ok).toBe(false);
      expect(JSON.stringify(answer)).not.toContain('secret');
    }
    expect(api.connections() + trap.connections()).toBe(before);
  });

  it('verifies the name of the certificate, and that it is trusted, whatever the environment says', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    try {
      expect(await get(at('wrong.test'))).toMatchObject({ ok: false, code: 'tls_failed' });
      expect(await get(at('api.test'), { ca: undefined })).toMatchObject({ ok: false, code: 'tls_failed' });
    } finally {
      vi.unstubAllEnvs();
    }
    expect(requests).toBe(0);
  });

  it('takes no proxy from the environment', async () => {
    // Node reads these when it starts.
    const proxy = `http://127.0.0.2:${trap.port}`;
    const code = `import { safeFetch } from ${JSON.stringify(import.meta.resolve('@hcp/egress'))};
      const resolve = async () => ['127.0.0.1'];
      const options = { allow_private: ['127.0.0.1'], resolve, ca: ${JSON.stringify(cert)} };
      console.log((await safeFetch(${JSON.stringify(at('api.test'))}, options)).status);`;
    const env = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy, HTTP_PROXY: proxy, ALL_PROXY: proxy };
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env });
    expect(stdout).toBe('200\n');
    expect(trap.connections()).toBe(0);
  });

  it('connects to the address that it checked, when the name is rebound', async () => {
    expect(await get(at('rebound.test'))).toMatchObject({ ok: true });
    expect(names.asked).toEqual(['rebound.test']);
    expect(await get(at('rebound.test'))).toMatchObject({ ok: false, code: 'private_address' });
    expect(trap.connections()).toBe(0);
  });
});

describe('an answer that breaks the protocol', () => {
  it('is no answer where the connection is taken over', async () => {
    const server = createServer((socket) => {
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      );
    });
    const odd = await listening(server);
    const allow_private = [`127.0.0.1:${odd.port}`];
    const answer = await safeFetch(`http://127.0.0.1:${odd.port}/`, { allow_private, allow_http: true });
    expect(answer).toMatchObject({ ok: false, code: 'bad_response' });
    await odd.close();
  });

  it('is no matter of certificates once the request was sent', async () => {
    const server = createTls({ key, cert }, () => undefined);
    const raw = createServer((socket) => {
      const inner = connect((server.address() as AddressInfo).port, '127.0.0.1');
      inner.on('error', () => undefined);
      socket.on('error', () => undefined).pipe(inner);
      inner.pipe(socket);
      server.once('request', () => socket.write('no TLS at all, whatever was agreed upon'));
    });
    const hidden = await listening(server);
    const odd = await listening(raw);
    const allow_private = [`127.0.0.1:${odd.port}`];
    const answer = await safeFetch(`https://127.0.0.1:${odd.port}/`, { allow_private, ca: cert, method: 'POST' });
    expect(answer).toMatchObject({ ok: false, code: 'connect_failed' });
    await Promise.all([odd.close(), hidden.close()]);
  });
});

it.each([
  ['a value', { authorization: 'Bearer s3cret\u20ac' }],
  ['a line', { authorization: 'Bearer s3cret\r\nx: y' }],
  ['a name', { 'x s3cret': 'y' }],
])('sends no header that is none, and does not repeat it: %s', async (_what, headers) => {
  const answer = await get(at('api.test'), { headers });
  expect(answer).toMatchObject({ ok: false, code: 'bad_request' });
  expect(JSON.stringify(answer)).not.toContain('s3cret');
});

describe('redirects', () => {
  it('are answers unless they are to be followed', async () => {
    expect(await get(to(302, at('inner.test')))).toMatchObject({ ok: true, status: 302 });
  });

  it('are followed as often as allowed, and each is checked', async () => {
    const options = { max_redirects: 2 };
    expect(await get(to(302, at('other.test', '/x')), options)).toMatchObject({
      ok: true,
      url: at('other.test', '/x'),
    });
    expect(await get(to(302, '/relative'), options)).toMatchObject({ ok: true, url: at('api.test', '/relative') });
    expect(await get(to(302, to(302, to(302, '/'))), options)).toMatchObject({ ok: false, code: 'too_many_redirects' });
    for (const [target, code] of [
      [at('inner.test'), 'private_address'],
      [at('127.0.0.2'), 'private_address'],
      ['https://169.254.169.254/', 'private_address'],
      ['//2130706433/', 'bad_host'],
      [`http://plain.test:${plain.port}/`, 'bad_request'],
      ['file:///etc/passwd', 'bad_request'],
      [at('user:pass@api.test'), 'bad_request'],
      [at('rebound.test', `/302/${encodeURIComponent(at('rebound.test'))}`), 'private_address'],
    ] as const) {
      expect(await get(to(302, target), options)).toMatchObject({ ok: false, code });
    }
    expect(trap.connections()).toBe(0);
  });

  it('go from http to https, and never back', async () => {
    const options = { max_redirects: 3, allow_http: true };
    expect(await get(`http://plain.test:${plain.port}/`, options)).toMatchObject({ ok: true });
    expect(await get(`http://plain.test:${plain.port}/up`, options)).toMatchObject({ ok: true, url: at('api.test') });
    const down = to(302, `http://plain.test:${plain.port}/`);
    expect(await get(down, options)).toMatchObject({ ok: false, code: 'bad_request' });
  });

  it('carry no secrets to another origin, and a body only where the status says so', async () => {
    const options = {
      max_redirects: 1,
      method: 'POST',
      body: 'payload',
      headers: { authorization: 'Bearer x', cookie: 'a=b', 'content-type': 'text/plain', 'x-kept': '1' },
    };
    await get(to(303, '/'), options);
    expect(last).toMatchObject({ method: 'GET', body: '', headers: { authorization: 'Bearer x', 'x-kept': '1' } });
    expect(last.headers).not.toHaveProperty('content-type');
    await get(to(307, at('other.test')), options);
    expect(last).toMatchObject({ method: 'POST', body: 'payload', headers: { 'x-kept': '1' } });
    expect(last.headers).not.toHaveProperty('authorization');
    expect(last.headers).not.toHaveProperty('cookie');
  });
});

describe('limits', () => {
  it('hold for what is answered', async () => {
    expect(await get(at('api.test', '/big'), { max_bytes: 100_000 })).toMatchObject({ ok: true });
    for (const path of ['/big', '/endless']) {
      const code = 'too_large';
      expect(await get(at('api.test', path), { max_bytes: 99_999 })).toMatchObject({ ok: false, code });
    }
    expect(await get(at('api.test', '/gzip'))).toMatchObject({ ok: false, code: 'bad_response' });
  });

  it('hold for time, before and during the answer, and across redirects', async () => {
    for (const url of [at('api.test', '/silent'), at('api.test', '/begun'), to(302, '/silent')]) {
      const answer = await get(url, { timeout_ms: 400, max_redirects: 1 });
      expect(answer).toMatchObject({ ok: false, code: 'timeout' });
    }
    names.set('api.test', []);
    const hanging = { resolve: () => new Promise<never>(() => undefined), timeout_ms: 200 };
    expect(await get(at('api.test'), hanging)).toMatchObject({ ok: false });
  });

  it('let the caller give up', async () => {
    const stop = new AbortController();
    const waiting = get(at('api.test', '/silent'), { signal: stop.signal });
    await vi.waitFor(() => expect(requests).toBe(1));
    stop.abort();
    expect(await waiting).toMatchObject({ ok: false, code: 'cancelled' });
  });

  it('tell a closed port and what is no HTTP apart', async () => {
    const odd = await listening(createServer((socket) => void socket.end('SSH-2.0-x\r\n\r\n')));
    const closed = await serve();
    await closed.close();
    const options = { allow_private: ['127.0.0.1'], allow_http: true };
    expect(await get(`http://plain.test:${odd.port}/`, options)).toMatchObject({ ok: false, code: 'bad_response' });
    expect(await get(`http://plain.test:${closed.port}/`, options)).toMatchObject({
      ok: false,
      code: 'connect_failed',
    });
    await odd.close();
  });
});

describe('checkedFetch', () => {
  it('is a fetch for libraries', async () => {
    const fetch = checkedFetch(policy());
    const response = await fetch(new URL(at('api.test')), { method: 'POST', body: new URLSearchParams({ a: 'b c' }) });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(`hello api.test:${api.port}`);
    expect(last).toMatchObject({ method: 'POST', body: 'a=b+c' });
    expect(last.headers['content-type']).toContain('application/x-www-form-urlencoded');
    expect((await fetch(to(302, at('inner.test')))).status).toBe(302);
  });

  it('throws where there is no answer, without saying where the name leads', async () => {
    const failed: unknown = await checkedFetch(policy())(at('inner.test')).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(EgressError);
    expect(failed).toMatchObject({ code: 'private_address' });
    expect(String(failed)).not.toContain('127.0.0.2');
  });
});

describe('connectChecked', () => {
  it('tries the checked addresses in turn, and no others', async () => {
    names.set('api.test', ['127.0.0.3', '127.0.0.1']);
    const allow_private = ['127.0.0.3', '127.0.0.1'];
    const checked = await resolveChecked('api.test', { allow_private, resolve: names.resolve });
    if (!checked.ok) throw new Error(checked.error);
    const connected = await connectChecked(checked, plain.port);
    expect(connected.ok && connected.socket.remoteAddress).toBe('127.0.0.1');
    if (connected.ok) connected.socket.destroy();
    expect(names.asked).toEqual(['api.test']);
    const stopped = await connectChecked(checked, plain.port, { signal: AbortSignal.abort() });
    expect(stopped).toMatchObject({ ok: false, code: 'cancelled' });
  });
});

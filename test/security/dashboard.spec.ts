import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawCall } from '../support/raw-http.js';
import { startStack, type Stack } from '../support/stack.js';

/** SPEC I5, CASES 30: the dashboard's files, and nothing else of the disk, under a policy without inline script. */

const SCRIPT = `export const words = '${'hello '.repeat(500)}';\n`;
const PAGE =
  '<!doctype html>\n<html lang="en">\n  <head>\n    <title>Here</title>\n  </head>\n  <body></body>\n</html>\n';
const SECRET = 'not-of-the-build';

let folder: string;
let stack: Stack;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hcp-dashboard-'));
  const build = join(folder, 'dist');
  await mkdir(join(build, 'assets'), { recursive: true });
  await writeFile(join(folder, 'secret.txt'), SECRET);
  await writeFile(join(build, 'index.html'), PAGE);
  await writeFile(join(build, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(build, 'assets', 'index-4f2a.js'), SCRIPT);
  await symlink(join(folder, 'secret.txt'), join(build, 'assets', 'link.txt'));
  stack = await startStack({ workers: 0, env: { HCP_DASHBOARD_DIR: build } });
}, 120_000);
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const get = (path: string, headers: Record<string, string> = HTML, method = 'GET') =>
  fetch(stack.urls[0] + path, { method, headers, redirect: 'manual' });

describe('the page', () => {
  it.each(['/', '/approvals', '/runs/0198?x=1', '/commands/ledger/payments.create', '/%D0%B8', '/invitation'])(
    'is what a person gets at %s, with a nonce of its own',
    async (path) => {
      const [first, second] = [await get(path), await get(path)];
      expect(first.status).toBe(200);
      expect(first.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(first.headers.get('cache-control')).toBe('no-store');
      const policy = first.headers.get('content-security-policy') ?? '';
      const nonce = /'nonce-([A-Za-z0-9+/=]{22,})'/.exec(policy)?.[1] ?? '';
      expect(await first.text()).toBe(
        PAGE.replace('<head>', `<head>\n    <meta property="csp-nonce" nonce="${nonce}" />`),
      );
      expect(second.headers.get('content-security-policy')).not.toContain(nonce);
    },
  );

  it('may do nothing that is not from here', async () => {
    const { headers } = await get('/');
    const policy = headers.get('content-security-policy') ?? '';
    const rules = new Map(
      policy.split('; ').map((rule) => [rule.split(' ', 1)[0] ?? '', rule.slice(rule.indexOf(' ') + 1)]),
    );
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(rules.get('default-src')).toBe("'none'");
    expect(rules.get('script-src')).toBe("'self'");
    expect(rules.get('frame-ancestors')).toBe("'none'");
    expect(rules.get('base-uri')).toBe("'none'");
    expect(rules.get('form-action')).toBe("'self'");
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()') as string,
    });
  });

  it('takes the place of nothing of the API', async () => {
    for (const path of [
      '/v1/nothing',
      '/v1',
      '/oauth/nothing',
      '/.well-known/nothing',
      '/mcp/nothing',
      '/docs/nothing',
    ]) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.text(), path).not.toContain('<title>Here');
    }
    expect((await get('/v1/me')).status).toBe(401);
    expect((await get('/mcp')).status).toBe(405);
    expect(await (await get('/docs')).text()).toContain('<title>Hosted control plane');
    expect(await (await get('/healthz')).json()).toEqual({ status: 'ok' });
    expect(((await (await get('/openapi.json')).json()) as { openapi: string }).openapi).toBe('3.1.0');
  });

  it('is not what a program gets, nor what anything but a look gets', async () => {
    expect((await get('/approvals', { accept: 'application/json' })).status).toBe(404);
    expect((await get('/approvals', { accept: '*/*' })).status).toBe(404);
    expect((await get('/approvals', HTML, 'POST')).status).toBe(404);
    expect((await get('/', HTML, 'POST')).status).toBe(405);
    const head = await get('/', HTML, 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('is for no other Host', async () => {
    const answer = await rawCall(stack.urls[0], 'GET', '/', { headers: { ...HTML, host: 'evil.example' } });
    expect(answer.status).toBe(403);
  });
});

describe('a file', () => {
  it('with its hash in the name is kept for good, and is sent compressed to who takes it', async () => {
    const plain = await get('/assets/index-4f2a.js', { accept: '*/*', 'accept-encoding': 'identity' });
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(plain.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await plain.text()).toBe(SCRIPT);
    for (const [accepted, coding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
    ] as const) {
      const coded = await get('/assets/index-4f2a.js', { 'accept-encoding': accepted });
      expect(coded.headers.get('content-encoding')).toBe(coding);
      expect(await coded.text()).toBe(SCRIPT);
    }
    const raw = await rawCall(stack.urls[0], 'GET', '/assets/index-4f2a.js', { headers: { 'accept-encoding': 'br' } });
    expect(Number(raw.headers['content-length'])).toBeLessThan(SCRIPT.length / 5);
  });

  it('without one is asked for again, and not sent again where it is the same', async () => {
    const first = await get('/icon.svg', { accept: '*/*' });
    expect(first.headers.get('cache-control')).toBe('no-cache');
    expect(first.headers.get('content-type')).toBe('image/svg+xml');
    const again = await get('/icon.svg', { 'if-none-match': first.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  });

  it('that is not of the build is not there, whatever the name', async () => {
    for (const path of [
      '/assets/link.txt',
      '/assets/nothing.js',
      '/assets/',
      '/assets',
      '/secret.txt',
      '/../secret.txt',
      '/assets/../../secret.txt',
      '/assets/..%2f..%2fsecret.txt',
      '/%2e%2e/secret.txt',
      '/..%5csecret.txt',
      '/assets/%00',
      '/assets/index-4f2a.js%00',
      '//secret.txt',
      `/${folder}/secret.txt`,
      '/etc/../etc/passwd',
      '/%252e%252e%252fsecret.txt',
      '/..%c0%afsecret.txt',
    ]) {
      for (const headers of [{ accept: '*/*' }, HTML]) {
        const answer = await rawCall(stack.urls[0], 'GET', path, { headers });
        expect(answer.text, path).not.toContain(SECRET);
        expect(answer.text, path).not.toContain('root:');
        // A browser that merely goes to a page that is none gets the page, which says so.
        if (headers.accept === '*/*') expect([path, answer.status >= 400]).toEqual([path, true]);
      }
    }
  });
});

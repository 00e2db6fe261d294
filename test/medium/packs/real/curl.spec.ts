import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archive } from '../../../support/packs.js';
import { packDir, startRealPack, type RealPack } from './workspace.js';

const BIG = 2 * 1024 * 1024;

/** What the servers of this test were asked, in order. */
const asked: string[] = [];
const servers: Server[] = [];
let curl: RealPack;
let allowed: number;

async function serve(): Promise<number> {
  const server = createServer((request, response) => {
    asked.push(`${String(request.method)} ${String(request.url)}`);
    const path = request.url?.split('?')[0];
    if (path === '/moved') response.writeHead(302, { location: '/elsewhere' }).end('moved');
    else if (path === '/absent') response.writeHead(404).end('absent');
    else if (path === '/big') response.writeHead(200, { 'content-length': BIG }).end(Buffer.alloc(BIG, 'x'));
    else if (path === '/endless') {
      const more = (): void => void (response.destroyed || response.write(Buffer.alloc(65_536, 'x'), more));
      more();
    } else if (path !== '/never') response.end(JSON.stringify({ path: request.url }));
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** The example, for a server of this test instead of example.com, and with less patience. */
async function packFor(pack_id: string, url: string, declared: string): Promise<Buffer> {
  const text = (file: string) => readFile(join(packDir('curl'), file), 'utf8');
  const manifest = JSON.parse(await text('manifest.json')) as { pack_id: string; wrap: { network: string[] } };
  manifest.pack_id = pack_id;
  manifest.wrap.network = [declared];
  const surface = (await text('surface.json')).replace('https://example.com{{path}}', `${url}{{path}}`);
  return archive({
    'manifest.json': JSON.stringify(manifest),
    'surface.json': surface.replace('"20"', '"2"'),
    'policy.json': await text('policy.json'),
  });
}

beforeAll(async () => {
  allowed = await serve();
  const here = `localhost:${String(allowed)}`;
  const archived = await packFor('curl', `http://${here}`, here);
  curl = await startRealPack('curl', { worker_env: { HCP_EGRESS_ALLOW_PRIVATE: here } }, archived);
}, 120_000);
afterAll(async () => {
  await curl.stack.stop();
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

const get = (path: string, pack_id?: string) => {
  asked.length = 0;
  return curl.exec('get', { path }, pack_id);
};

describe('curl', () => {
  it('gets a page of the declared host', async () => {
    const path = '/a/b;c?d=e%20f&g=$(id)';
    expect(await get(path)).toMatchObject({ ok: true, result: { path }, exit_code: 0 });
    expect(asked).toEqual([`GET ${path}`]);
  });

  it('shows a redirect and does not follow it', async () => {
    const answer = await get('/moved');
    expect(answer).toMatchObject({ ok: true, result: 'moved' });
    expect(answer.stderr).toContain(`302  http://localhost:${String(allowed)}/elsewhere`);
    expect(asked).toEqual(['GET /moved']);
  });

  it('fails with the page, by size and by time', async () => {
    expect(await get('/absent')).toMatchObject({ ok: false, code: 'exit_nonzero', exit_code: 22 });
    expect(await get('/big')).toMatchObject({ ok: false, code: 'exit_nonzero', exit_code: 63 });
    expect(await get('/never')).toMatchObject({ ok: false, code: 'exit_nonzero', exit_code: 28 });
    // Of an answer without a length newer versions say so as well; with older ones the sandbox does.
    expect((await get('/endless')).code).toMatch(/^(exit_nonzero|output_limit)$/);
  });

  it.each([
    'https://other.example/',
    '-o',
    '--config=/workspace/x',
    '@other.example/',
    '.other.example/',
    ':80/',
    '/a b',
    '/a\nurl = file:///etc/passwd',
    '/{a,b}',
    '/[1-9]',
    '/a#b',
    '',
  ])('refuses the path %j before anything runs', async (path) => {
    expect(await get(path)).toMatchObject({ ok: false, code: 'invalid_args' });
    expect(asked).toEqual([]);
  });

  it.each([
    ['other-host', () => `http://127.0.0.1:${String(allowed)}`, () => 'example.com'],
    ['other-port', (other: number) => `http://localhost:${String(other)}`, () => `localhost:${String(allowed)}`],
    [
      'private',
      (other: number) => `http://localhost:${String(other)}`,
      (other: number) => `localhost:${String(other)}`,
    ],
    ['file', () => 'file:///etc', () => 'example.com'],
    ['ftp', () => `ftp://localhost:${String(allowed)}`, () => `localhost:${String(allowed)}`],
  ])('reaches nothing by a pack that means another target: %s', async (pack_id, url, declared) => {
    const other = await serve();
    await curl.add(await packFor(pack_id, url(other), declared(other)));
    expect(await get('/passwd', pack_id)).toMatchObject({ ok: false, code: 'exit_nonzero' });
    expect(asked).toEqual([]);
  });
});

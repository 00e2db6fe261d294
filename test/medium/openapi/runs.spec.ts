import type { IncomingMessage, ServerResponse } from 'node:http';
import { operationsOf, type ResultEnvelope } from '@hcp/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archive } from '../../support/packs.js';
import { install, startStack, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';
import { serve, type Listening } from '../egress/servers.js';
import { commerce, deskPack } from './api.js';

/** Commands of HTTP APIs on the whole product (SPEC W7, S4, B4). */

const TOKEN = 'desk-canary-7f3a91c2e5';
let stack: Stack;
let owner: Person;
let api: Listening;
let trap: Listening;
const bodies: string[] = [];
let headers: IncomingMessage['headers'] = {};

beforeAll(async () => {
  api = await serve(answer);
  trap = await serve();
  const allowed = `127.0.0.1:${String(api.port)}`;
  stack = await startStack({ env: { HCP_EGRESS_ALLOW_PRIVATE: allowed } });
  ({ owner } = await tenantWithOwner(stack));
  await install(stack, owner.token, await deskPack('desk', `http://${allowed}/v1`));
  const body = { pack_id: 'desk', family: 'user', kind: 'secret', fields: { token: TOKEN } };
  expect((await stack.call('POST', '/v1/bindings', { token: owner.token, body })).status).toBe(201);
}, 120_000);
afterAll(async () => {
  await stack.stop();
  await Promise.all([api.close(), trap.close()]);
});

/** Says what reached it; at `/say/…` it misbehaves as it is asked to. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  headers = request.headers;
  const what = /^\/v1\/say\/([a-z-]+)/.exec(request.url ?? '')?.[1];
  const elsewhere = `http://127.0.0.1:${String(trap.port)}/`;
  if (what === 'secret') return void response.end(JSON.stringify({ you_sent: request.headers.authorization }));
  if (what === 'away') return void response.writeHead(302, { location: elsewhere }).end();
  if (what === 'on') return void response.writeHead(302, { location: '/v1/say/arrived' }).end();
  if (what === 'reset') return void request.socket.destroy();
  if (what === 'slow') return void response.write('{');
  if (what === 'huge') return void response.end(Buffer.alloc(11 * 1024 * 1024, 'a'));
  if (what === 'refuse') return void response.writeHead(403).end(JSON.stringify({ why: 'no' }));
  if (what === 'text') return void response.end(Buffer.from([0x68, 0x69, 0xff, 0x00]));
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    bodies.push(text);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ method: request.method, url: request.url, body: text, at: what ?? null }));
  });
}

const run = async (verb_key: string, args: object = {}, pack_id = 'desk'): Promise<ResultEnvelope> =>
  (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: owner.token, body: { pack_id, verb_key, args } }))
    .body;

describe('a command of an API', () => {
  it('sends one request, with the credential where the document says', async () => {
    const ran = await run('get-ticket', { id: 'a/../b', tags: ['x', 'y&z'] });
    expect(ran).toMatchObject({
      ok: true,
      result: { method: 'GET', url: '/v1/tickets/a%2F..%2Fb?tags=x&tags=y%26z', body: '' },
    });
    expect(headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(ran.stdout).toBeUndefined();
  });

  it('asks first where the policy says so, showing the exact request', async () => {
    const asked = await run('replace-ticket', { id: '7', title: 'Help', points: '3', labels: ['a'] });
    const cli = `PUT http://127.0.0.1:${String(api.port)}/v1/tickets/7 '{"title":"Help","points":3,"labels":["a"]}'`;
    expect(asked).toMatchObject({ code: 'confirm_required', preview: { cli } });
    const ran = await run('replace-ticket', { id: '7', title: 'Help', points: '3', labels: ['a'], confirm: true });
    expect(ran).toMatchObject({ ok: true, result: { body: '{"title":"Help","points":3,"labels":["a"]}' } });
    expect(headers['content-type']).toBe('application/json');
  });

  it('sends a form', async () => {
    const ran = await run('add-note', { text: 'a b&c', meta: { k: 'v=1' } });
    expect(ran).toMatchObject({ ok: true, result: { body: 'text=a%20b%26c&meta[k]=v%3D1' } });
  });

  it.each([
    ['get-ticket', {}, 'invalid args: id is required'],
    ['get-ticket', { id: '..' }, 'invalid args: id cannot stand in the path of an address'],
    ['get-ticket', { id: '1', other: 2 }, 'invalid args: other is no argument of this command'],
    ['replace-ticket', { id: '1', title: 'x', points: 1.5 }, 'invalid args: points must be integer'],
  ])('refuses %s %j before anything is sent', async (verb_key, args, error) => {
    const before = api.seen.length;
    expect(await run(verb_key, args)).toMatchObject({ ok: false, code: 'invalid_args', error });
    expect(api.seen).toHaveLength(before);
  });

  it('sends nothing for a mock, and shows what it would have sent', async () => {
    const before = api.seen.length;
    const ran = await run('add-note', { text: 'x', mode: 'mock' });
    expect(ran).toMatchObject({ ok: true, result: { mock: true, request: { method: 'POST', body: 'text=x' } } });
    expect(JSON.stringify(ran)).not.toContain(TOKEN);
    expect(api.seen).toHaveLength(before);
  });
});

describe('what an API answers', () => {
  it('has no secret in it', async () => {
    const ran = await run('say', { what: 'secret' });
    expect(ran.result).toEqual({ you_sent: 'Bearer [redacted]' });
    expect(JSON.stringify(ran)).not.toContain(TOKEN);
  });

  it('is a failure with its answer where the API refuses', async () => {
    expect(await run('say', { what: 'refuse' })).toMatchObject({
      ok: false,
      code: 'http_error',
      error: 'HTTP 403',
      result: { why: 'no' },
    });
  });

  it('keeps bytes that are no text, escaped', async () => {
    expect((await run('say', { what: 'text' })).result).toBe('hi\\xff\\x00');
  });

  it.each([
    ['slow', 'timeout'],
    ['huge', 'output_limit'],
  ])('is given up on when it is %s', async (what, code) => {
    expect(await run('say', { what })).toMatchObject({ ok: false, code });
  });

  it('leaves open whether a write happened where the connection broke, and is sure of a read', async () => {
    expect(await run('do', { what: 'reset' })).toMatchObject({ code: 'outcome_unknown' });
    expect(await run('say', { what: 'reset' })).toMatchObject({ code: 'http_error' });
  });

  it('is followed within the declared server and nowhere else', async () => {
    expect((await run('say', { what: 'on' })).result).toMatchObject({ url: '/v1/say/arrived' });
    const away = await run('say', { what: 'away' });
    expect(away).toMatchObject({ code: 'http_error', error: 'HTTP 302: the API leads to another server' });
    expect(trap.connections()).toBe(0);
  });
});

describe('a server that nobody allowed', () => {
  it.each([
    ['loopback', () => `http://127.0.0.1:${String(trap.port)}`],
    ['loopback over TLS', () => `https://127.0.0.1:${String(trap.port)}`],
    ['a name of this machine', () => `https://localhost:${String(trap.port)}`],
    ['IPv6-mapped', () => `https://[::ffff:127.0.0.1]:${String(trap.port)}`],
    ['link-local', () => 'https://169.254.169.254'],
    ['private', () => 'https://10.0.0.1'],
    ['plain HTTP', () => 'http://example.com'],
  ])('is not reached: %s', async (name, server) => {
    const pack_id = `trap-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
    await install(stack, owner.token, await deskPack(pack_id, server(), { family: 'public' }));
    const ran = await run('say', { what: 'hello' }, pack_id);
    expect(ran).toMatchObject({ ok: false, code: 'http_error' });
    expect(ran.error).toMatch(/^egress: /);
    expect(trap.connections()).toBe(0);
  });
});

describe('a large public document', () => {
  it('becomes a pack of hundreds of commands, each with checked arguments', async () => {
    const text = commerce();
    const operations = operationsOf(JSON.parse(text));
    expect(operations.length).toBeGreaterThan(300);
    const verb = (id: string) => id.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase();
    const files = await archive({
      'manifest.json': JSON.stringify({
        pack_id: 'commerce',
        name: 'Commerce',
        version: '1.0.0',
        description: 'A shop.',
        kind: 'openapi',
        binding: { family: 'user' },
      }),
      'surface.json': JSON.stringify({
        commands: Object.fromEntries(
          operations.map(({ operation_id }) => [verb(operation_id), { description: operation_id, operation_id }]),
        ),
      }),
      'policy.json': JSON.stringify({
        commands: Object.fromEntries(
          operations.map(({ operation_id, method }) => [
            verb(operation_id),
            { operation: method === 'GET' ? 'read' : 'write', confirm: false, privacy: { land: 'personal' } },
          ]),
        ),
      }),
      'openapi.json': text,
    });
    await install(stack, owner.token, files);
    const listed = await stack.call<{ items: { pack_id: string }[] }>('GET', '/v1/commands?limit=200', {
      token: owner.token,
    });
    expect(listed.body.items.filter(({ pack_id }) => pack_id === 'commerce').length).toBeGreaterThan(100);
    const body = {
      pack_id: 'commerce',
      verb_key: 'post-invoices',
      args: { amount: '3', currency: 'eur', items: [{ price: 'p' }] },
    };
    const shown = await stack.call<{ preview: { cli: string } }>('POST', '/v1/exec/preview', {
      token: owner.token,
      body,
    });
    expect(shown.body.preview.cli).toBe(
      "POST https://eu.commerce.example/v1/invoices 'amount=3&currency=eur&items[0][price]=p'",
    );
    expect(await run('post-invoices', { amount: 0, currency: 'eur' }, 'commerce')).toMatchObject({
      code: 'invalid_args',
    });
    expect(await run('post-invoices', { amount: 1, currency: 'EUR' }, 'commerce')).toMatchObject({
      code: 'invalid_args',
    });
    // No credential is connected: refused by name, not sent without one.
    expect(await run('get-invoices', {}, 'commerce')).toMatchObject({ code: 'mint_failed' });
  }, 60_000);
});

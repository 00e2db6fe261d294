import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { registerRequestHooks } from './request-hooks.js';

let server: FastifyInstance;

beforeEach(() => {
  server = Fastify();
  registerRequestHooks(server, { PUBLIC_URL: 'https://hcp.example.com', HCP_ALLOWED_HOSTS: ['api'] });
  server.get('/v1/thing', () => 'ok');
  server.post('/v1/thing', () => 'ok');
  server.get('/healthz', () => 'ok');
  server.get('/docs', () => 'ok');
});
afterEach(() => server.close());

const send = (method: 'GET' | 'POST', headers: Record<string, string>, url = '/v1/thing') =>
  server.inject({ method, url, headers });

describe('registerRequestHooks', () => {
  it.each(['hcp.example.com', 'HCP.example.com:443', 'localhost:3000', '127.0.0.1:1234', '[::1]:80', 'api:3000'])(
    'answers to the Host %s',
    async (host) => {
      expect((await send('GET', { host })).statusCode).toBe(200);
    },
  );

  it.each(['evil.example', 'hcp.example.com.evil.example', '127.0.0.1.evil.example', '10.0.0.1', 'evil@localhost'])(
    'refuses the Host %s of another site (DNS rebinding)',
    async (host) => {
      const answer = await send('GET', { host });
      expect(answer.statusCode).toBe(403);
      expect(answer.json()).toMatchObject({ code: 'forbidden', status: 403 });
    },
  );

  it('lets probes come by any address', async () => {
    expect((await send('GET', { host: '10.0.0.7:3000' }, '/healthz')).statusCode).toBe(200);
  });

  it.each(['https://evil.example', 'null', 'http://hcp.example.com', 'https://hcp.example.com.evil.example'])(
    'refuses a change that the Origin %s asks for, by any host',
    async (origin) => {
      expect((await send('POST', { host: 'localhost:3000', origin })).statusCode).toBe(403);
      expect((await send('GET', { host: 'localhost:3000', origin })).statusCode).toBe(200);
    },
  );

  it('takes its own origin, a page served by the same host, and clients without one', async () => {
    const host = 'localhost:3000';
    expect((await send('POST', { host, origin: 'https://hcp.example.com' })).statusCode).toBe(200);
    expect((await send('POST', { host, origin: 'http://localhost:3000' })).statusCode).toBe(200);
    expect((await send('POST', { host })).statusCode).toBe(200);
    expect((await send('POST', { host, 'sec-fetch-site': 'cross-site' })).statusCode).toBe(403);
  });

  it('marks every answer, and tells caches and browsers to keep out', async () => {
    const answer = await send('GET', { host: 'localhost' });
    expect(answer.headers).toMatchObject({
      'request-id': expect.stringMatching(/./) as string,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
    const docs = await send('GET', { host: 'localhost' }, '/docs');
    expect(docs.headers['content-security-policy']).toContain("script-src 'self'");
  });
});

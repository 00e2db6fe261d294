import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillPath, routes } from '../support/routes.js';
import { startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** CASES 35: what a page of another site makes a browser send is refused on every route (DNS rebinding, CSRF). */

let stack: Stack;
let owner: Person;
beforeAll(async () => {
  stack = await startStack({ workers: 0 });
  ({ owner } = await tenantWithOwner(stack));
}, 120_000);
afterAll(() => stack.stop());

/** One request with exactly these headers: `fetch` sets Host itself. */
function send(
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(stack.urls[0]);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

const ID = '00000000-0000-4000-8000-000000000000';
const names = { id: ID, pack_id: 'ledger', version: '1.0.0', assignment_id: ID, principal_id: ID, '*': 'x' };
const paths = routes.map(([id, { method, path }]) => [id, method, fillPath(path, names)] as const);
/** Probes come by address and tell nothing. */
const ANY_HOST = ['healthz', 'readyz'];

const refused = (answer: { status: number; text: string }) =>
  expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('"code":"forbidden"') as string });

describe('another site', () => {
  it.each(paths)('is no Host of %s', async (id, method, path) => {
    if (ANY_HOST.includes(id)) return;
    const authorization = `Bearer ${owner.token}`;
    for (const host of ['evil.example', 'evil.example:3000', '127.0.0.1.evil.example', 'localhost@evil.example']) {
      refused(await send(method, path, { host, authorization }));
    }
  });

  it.each(paths.filter(([, method]) => method !== 'GET'))('is no Origin of %s', async (_id, method, path) => {
    const { host } = new URL(stack.urls[0]);
    const authorization = `Bearer ${owner.token}`;
    for (const origin of ['https://evil.example', 'null', `http://${host}.evil.example`, 'http://127.0.0.1:1']) {
      refused(await send(method, path, { host, origin, authorization }));
    }
    refused(await send(method, path, { host, 'sec-fetch-site': 'cross-site', authorization }));
  });

  it('opens no stream of /mcp either', async () => {
    const { host } = new URL(stack.urls[0]);
    for (const method of ['GET', 'DELETE']) {
      expect((await send(method, '/mcp', { host, origin: 'https://evil.example' })).status).toBeGreaterThanOrEqual(400);
    }
  });
});

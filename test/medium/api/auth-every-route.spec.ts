import { randomUUID } from 'node:crypto';
import { ROUTES, type Route } from '@hcp/contracts';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { makeGrant } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Api } from './auth-harness.js';

let api: Api;
let document: OpenApi;

interface Operation {
  operationId: string;
  security?: object[];
  responses: Record<string, unknown>;
}
interface OpenApi {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
}

beforeAll(async () => {
  api = await Api.start();
  document = (await api.call<OpenApi>('GET', '/openapi.json')).body;
});
afterAll(() => api.stop());

const routes: readonly [string, Route][] = Object.entries(ROUTES);
/** What takes no credentials; anything else here is a mistake (SPEC T5). */
const PUBLIC = [
  'auth_refresh',
  'auth_reset',
  'auth_reset_confirm',
  'auth_token',
  'healthz',
  'invitations_accept',
  'jwks',
  'readyz',
];
/** Served by the documentation itself, outside the controllers; `/` leads there. */
const DOCUMENTATION = /^\/(?:$|docs|openapi\.(?:json|yaml))/;

/** Every route the server really has, as the router prints it. */
function registered(): { method: string; path: string }[] {
  const server = api.apps[0]?.getHttpAdapter().getInstance() as { printRoutes(): string };
  const found: { method: string; path: string }[] = [];
  const stack: string[] = [];
  // By common prefixes: without them the printer loses what stands before a wildcard.
  for (const line of server.printRoutes().split('\n')) {
    const match = /^((?:│ {3}| {4})*)(?:├── |└── )(.*?)(?: \(([A-Z, ]+)\))?$/.exec(line);
    if (!match) continue;
    const depth = (match[1] ?? '').length / 4;
    stack.length = depth;
    stack.push(match[2] ?? '');
    for (const method of match[3]?.split(', ') ?? []) found.push({ method, path: stack.join('') });
  }
  return found.filter(({ method, path }) => method !== 'HEAD' && method !== 'OPTIONS' && !DOCUMENTATION.test(path));
}

const concrete = (path: string): string =>
  path
    .replace(':pack_id', 'ledger')
    .replace(':version', '1.0.0')
    .replaceAll(/:[a-z_]+/g, () => randomUUID());

describe('every route', () => {
  it('that the server has is in the contracts table, and the other way round', () => {
    const have = registered().map(({ method, path }) => `${method} ${path}`);
    const want = routes.map(([, { method, path }]) => `${method} ${path}`);
    expect(have.length).toBeGreaterThan(20);
    expect([...new Set(have)].sort()).toEqual([...new Set(want)].sort());
  });

  it('is public only where SPEC T5 says so', () => {
    expect(routes.flatMap(([id, { requires }]) => (requires === 'public' ? [id] : [])).sort()).toEqual(PUBLIC);
  });

  it('that is not public answers 401 without credentials and with bad ones, whatever the body', async () => {
    for (const { method, path } of registered()) {
      if (routes.some(([, route]) => route.path === path && route.method === method && route.requires === 'public'))
        continue;
      for (const options of [
        {},
        { token: 'x' },
        { token: `hcp_${'0'.repeat(32)}_${'A'.repeat(43)}` },
        ...(method === 'GET' || method === 'DELETE' ? [] : [{ raw: '{"a":1,"a":1}' }, { raw: 'no json' }]),
      ]) {
        const answer = await api.call(method, concrete(path), options);
        expect({ method, path, status: answer.status }).toEqual({ method, path, status: 401 });
        expect(answer.headers.get('request-id')).toMatch(/^[0-9a-f-]{36}$/);
      }
    }
  });

  it('refuses a change that another site asks for, credentials or not', async () => {
    const { token } = await api.signedIn(await api.tenant(), 'owner');
    for (const { method, path } of registered()) {
      if (method === 'GET') continue;
      const headers = { origin: 'https://evil.example' };
      expect((await api.call(method, concrete(path), { token, headers })).status).toBe(403);
    }
  });

  it('gives ids that are no ids 400 or 404, never 500', async () => {
    // Somebody whom every route lets in.
    const platform = await api.tenant({ platform: true });
    const { id, token } = await api.signedIn(platform, 'owner');
    await makeGrant(api.database.db, platform, id, 'platform.manage');
    for (const { method, path } of registered()) {
      if (!path.includes(':')) continue;
      for (const bad of ['%2e%2e%2f', '%00', "'--", '..%5c', 'a'.repeat(190)]) {
        const answer = await api.call(method, path.replaceAll(/:[a-z_]+/g, bad), {
          token,
          ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }),
        });
        expect({ method, path, bad, fine: [400, 404, 415].includes(answer.status) }).toEqual({
          method,
          path,
          bad,
          fine: true,
        });
      }
    }
  });
});

describe('the OpenAPI document', () => {
  it('is 3.1 and names every route once, by its operation id', () => {
    expect(document.openapi).toBe('3.1.0');
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(ids.sort()).toEqual(Object.keys(ROUTES).sort());
  });

  it('is clean under Redocly’s recommended rules', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const findings = await lintFromString({ source: JSON.stringify(document), config, absoluteRef: 'openapi.json' });
    expect(
      findings.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`),
    ).toEqual([]);
  });

  it('is served to be read too', async () => {
    const page = await api.call('GET', '/docs');
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.body).toContain('<title>Hosted control plane for commands</title>');
    expect((await api.call('GET', '/docs/swagger-ui.css')).status).toBe(200);
    const root = await api.call('GET', '/');
    expect(root.body).toBe(page.body);
  });
});

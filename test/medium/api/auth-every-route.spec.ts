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
  parameters?: { name: string; in: string; required?: boolean }[];
  responses: Record<string, { content?: Record<string, { schema: { $ref?: string } }> }>;
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
  'audit_key',
  'auth_browser_renew',
  'auth_browser_sign_in',
  'auth_browser_sign_out',
  'auth_refresh',
  'auth_reset',
  'auth_reset_confirm',
  'auth_token',
  'bindings_callback',
  'connections_start',
  'healthz',
  'invitations_accept',
  'jwks',
  'oauth_authorize',
  'oauth_consent',
  'oauth_login',
  'oauth_mcp_metadata',
  'oauth_register',
  'oauth_resource_metadata',
  'oauth_revoke',
  'oauth_server_metadata',
  'oauth_token',
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

describe('what no route takes', () => {
  it('is a method that the path does not have: the ones that it has are said to anyone', async () => {
    const { token } = await api.signedIn(await api.tenant(), 'owner');
    for (const options of [{}, { token }]) {
      const answer = await api.call('PUT', '/v1/projects', options);
      expect(answer).toMatchObject({ status: 405, body: { status: 405, code: 'method_not_allowed' } });
      expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
    }
    expect((await api.call('GET', '/v1/exec', { token })).headers.get('allow')).toBe('POST');
    expect((await api.call('DELETE', '/openapi.json')).status).toBe(405);
  });

  it('is a path that there is not', async () => {
    for (const path of ['/v1/project', '/v2/projects', '/V1/projects', '/v1/projects/a/b/c/d']) {
      expect(await api.call('GET', path)).toMatchObject({
        status: 404,
        body: { code: 'not_found', detail: 'no such route; see /docs' },
      });
    }
  });

  it('is not the folder of all files of a project, without its slash', async () => {
    const { token } = await api.signedIn(await api.tenant(), 'owner');
    const path = `/v1/projects/${randomUUID()}/files`;
    for (const method of ['GET', 'DELETE']) {
      const [bare, slash] = [await api.call(method, path, { token }), await api.call(method, `${path}/`, { token })];
      expect({ ...bare, headers: null }).toEqual({ ...slash, headers: null });
      expect(bare.body).not.toMatchObject({ detail: 'no such route; see /docs' });
    }
    expect((await api.call('POST', path)).headers.get('allow')).toBe('DELETE, GET, HEAD, PUT');
    expect((await api.call('GET', path)).status).toBe(401);
  });
});

describe('a refusal says what to do', () => {
  it('to whom has no credentials, or too few', async () => {
    expect((await api.call('GET', '/v1/me')).body.detail).toContain('POST /v1/auth/token');
    const { token } = await api.signedIn(await api.tenant(), 'member');
    const { status, body } = await api.call('GET', '/v1/grants', { token });
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'missing_capability' });
    expect(body.detail).toMatch(/^denied: missing access\.manage; .*GET \/v1\/me/);
  });

  it('about a field, in words', async () => {
    const { token } = await api.signedIn(await api.tenant(), 'owner');
    const grant = { principal_id: 'alice', capability: 'audit.read' };
    expect((await api.call('POST', '/v1/grants', { token, body: grant })).body).toMatchObject({
      detail: 'principal_id is no id; list them at GET /v1/members',
      errors: [{ path: '/principal_id', message: 'is no id; list them at GET /v1/members' }],
    });
    expect((await api.call('GET', '/v1/members/alice', { token })).body.detail).toBe(
      'id is no id; list them at GET /v1/members',
    );
    expect((await api.call('GET', '/v1/runs?limit=many', { token })).body.detail).toBe('limit must be a whole number');
    expect((await api.call('POST', '/v1/projects', { token, body: { name: 'x', bogus: 1 } })).body.errors).toEqual([
      { path: '/bogus', message: 'unknown field bogus' },
    ]);
  });

  it('about a body of another type, by the one that the route takes', async () => {
    const { token } = await api.signedIn(await api.tenant(), 'owner');
    for (const [method, path, type] of [
      ['POST', '/v1/projects', 'application/json'],
      ['POST', '/v1/packs', 'application/gzip'],
      ['PUT', `/v1/projects/${randomUUID()}/files/a`, 'application/octet-stream'],
    ] as const) {
      const answer = await api.call(method, path, { token, raw: 'a', headers: { 'content-type': 'text/plain' } });
      expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
      expect(answer.body.detail).toContain(`send it as ${type}`);
    }
  });

  it('about a conflict, by the thing', async () => {
    const { token } = await api.signedIn(await api.tenant(), 'owner');
    const body = { name: 'twice' };
    await api.call('POST', '/v1/projects', { token, body });
    expect(await api.call('POST', '/v1/projects', { token, body })).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: 'name: a project of the tenant has this name' },
    });
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

  it('says every refusal of a route', () => {
    const answers = Object.fromEntries(
      Object.values(document.paths).flatMap((item) =>
        Object.values(item).map(({ operationId, responses }) => [operationId, Object.keys(responses)]),
      ),
    );
    expect(answers.projects_create).toEqual(expect.arrayContaining(['400', '401', '403', '409', '413', '415', '503']));
    expect(answers.projects_create).not.toContain('404');
    expect(answers.packs_install).toEqual(expect.arrayContaining(['409', '413', '415', '422']));
    expect(answers.files_put).toEqual(expect.arrayContaining(['404', '409', '413', '415', '429']));
    expect(answers.me).not.toContain('415');
    expect(answers.auth_token).toEqual(expect.arrayContaining(['401', '409', '429']));
  });

  it('has exec answer an envelope to what is none', () => {
    const responses = document.paths['/v1/exec']?.post?.responses ?? {};
    expect(responses['400']?.content?.['application/json']?.schema.$ref).toBe('#/components/schemas/ResultEnvelope');
    expect(Object.keys(responses['400']?.content ?? {})).toEqual(['application/json']);
    expect(responses).not.toHaveProperty('415');
  });

  it('lets every authenticated route be called with the headers that narrow', () => {
    for (const { operationId, parameters = [] } of Object.values(document.paths).flatMap((item) =>
      Object.values(item),
    )) {
      const headers = parameters.filter((one) => one.in === 'header' && one.required !== true).map(({ name }) => name);
      const narrowed = PUBLIC.includes(operationId) ? [] : ['HCP-Agent', 'HCP-Approvals', 'HCP-Mode', 'HCP-Session'];
      const own = operationId === 'exec' ? ['Idempotency-Key'] : [];
      expect(headers.sort(), operationId).toEqual([...narrowed, ...own]);
    }
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

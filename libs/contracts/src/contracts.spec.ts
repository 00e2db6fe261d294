import { describe, expect, it } from 'vitest';
import {
  activatePackSchema,
  createAgentSchema,
  createGrantSchema,
  execRequestSchema,
  listAuditQuerySchema,
  listRunsQuerySchema,
  openApiSchema,
  type OperationId,
  refusalsOf,
  resultEnvelopeSchema,
  type Route,
  ROUTES,
  runEventSchema,
} from './index.js';

const routes = Object.entries(ROUTES) as [string, Route][];
const id = '3f1c2f86-5f0a-4f4b-9d70-0b8a6a1c9a11';

describe('the route table', () => {
  it('has every method and path once', () => {
    const keys = routes.map(([, route]) => `${route.method} ${route.path}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('describes exactly the path parameters that a path names', () => {
    for (const [name, route] of routes) {
      const named = [...route.path.matchAll(/:([a-z_]+)|\*/g)].map((match) => match[1] ?? '*');
      const shape = route.params ? openApiSchema(route.params, 'input').schema['properties'] : {};
      expect(Object.keys(shape as object).sort(), name).toEqual(named.sort());
    }
  });

  it('answers something unless the status is 204', () => {
    for (const [name, route] of routes) expect(route.response === undefined, name).toBe(route.status === 204);
  });

  it('leaves public only what signs in or comes back from signing in, links out of mails, the keys and the health', () => {
    const open = routes.filter(([, route]) => route.requires === 'public').map(([name]) => name);
    expect(open.sort()).toEqual([
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
    ]);
  });

  it('refuses agents and services wherever rights change', () => {
    const rights = /^\/v1\/(grants|roles|members|api-keys|agents|oidc-issuers|tenants)|^\/v1\/invitations(?!\/accept)/;
    for (const [name, route] of routes) {
      const changes = route.method !== 'GET' && (rights.test(route.path) || route.path.includes('/members/'));
      if (changes) expect(route.refuses, name).toEqual(['agent', 'service']);
    }
  });

  it('gives one meaning to each component name', () => {
    const seen = new Map<string, string>();
    for (const [, route] of routes) {
      for (const [part, io] of [
        ['query', 'input'],
        ['body', 'input'],
        ['response', 'output'],
      ] as const) {
        const schema = route[part];
        if (schema === undefined || typeof schema === 'string') continue;
        for (const [name, definition] of Object.entries(openApiSchema(schema, io).components)) {
          const text = JSON.stringify(definition);
          expect(seen.get(name) ?? text, name).toBe(text);
          seen.set(name, text);
        }
      }
    }
    expect(seen.size).toBeGreaterThan(30);
  });
});

describe('refusalsOf', () => {
  it('names no status twice, in order', () => {
    for (const id of Object.keys(ROUTES) as OperationId[]) {
      const found = refusalsOf(id).map(({ status }) => status);
      expect(found, id).toEqual([...new Set(found)].sort((a, b) => a - b));
      expect(found, id).toContain(400);
    }
  });

  it('keeps the shape of exec and of the readiness', () => {
    const own = (id: OperationId) => refusalsOf(id).filter(({ holds }) => holds === 'response');
    expect(own('exec')).toMatchObject([{ status: 400 }]);
    expect(own('readyz')).toMatchObject([{ status: 503 }]);
    expect(own('projects_create')).toEqual([]);
  });
});

describe('requests', () => {
  it.each([
    ['an unknown field', createAgentSchema, { name: 'a', kind: 'agent', acts_for: id }],
    ['a human made as an agent', createAgentSchema, { name: 'a', kind: 'human' }],
    ['a capability that does not exist', createGrantSchema, { principal_id: id, capability: 'verb.exec' }],
    ['an empty list of commands', createGrantSchema, { principal_id: id, capability: 'pack.install', verb_keys: [] }],
    [
      'a time without a zone',
      createGrantSchema,
      { principal_id: id, capability: 'pack.install', expires_at: '2030-01-01T00:00:00' },
    ],
    ['a version that is none', activatePackSchema, { version: 'latest' }],
    ['a field the envelope does not have', execRequestSchema, { pack_id: 'p', verb_key: 'v', project_id: id }],
    ['too long a wait', execRequestSchema, { pack_id: 'p', verb_key: 'v', wait_ms: 120_001 }],
    ['an unknown status', listRunsQuerySchema, { status: 'done' }],
    ['a page of none', listAuditQuerySchema, { limit: '0' }],
  ])('refuses %s', (_, schema, value) => {
    expect(schema.safeParse(value).success).toBe(false);
  });

  it('takes numbers of a query as text', () => {
    expect(listRunsQuerySchema.parse({ limit: '20', status: 'queued' })).toEqual({ limit: 20, status: 'queued' });
  });
});

describe('answers', () => {
  it('drop what a contract does not name', () => {
    const parsed = runEventSchema.parse({
      ...{ type: 'output', run_id: id, attempt: 1, stream: 'stdout', text: 'x' },
      secret: 'y',
    });
    expect(parsed).not.toHaveProperty('secret');
  });

  it('keep a result as it is, a __proto__ key included', () => {
    const result: unknown = JSON.parse('{"__proto__": {"admin": true}}');
    const envelope = { ok: true, pack_id: 'p', verb_key: 'v', result, run_id: id, duration_ms: 1 };
    expect(JSON.stringify(resultEnvelopeSchema.parse(envelope).result)).toBe('{"__proto__":{"admin":true}}');
  });
});

describe('openApiSchema', () => {
  it('refers to named schemas as components', () => {
    const { schema, components } = openApiSchema(ROUTES.runs_list.response, 'output');
    expect(schema).toEqual({ $ref: '#/components/schemas/RunPage' });
    expect(components['RunPage']).toMatchObject({
      properties: { items: { items: { $ref: '#/components/schemas/RunSummary' } } },
    });
  });

  it('keeps a field called id and the format of an identifier, without its expression', () => {
    expect(openApiSchema(ROUTES.runs_get.params, 'input').schema).toMatchObject({
      properties: { id: { type: 'string', format: 'uuid' } },
    });
    expect(JSON.stringify(openApiSchema(ROUTES.runs_get.params, 'input'))).not.toContain('pattern');
  });
});

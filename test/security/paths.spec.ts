import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '@hcp/contracts';
import { rawCall } from '../support/raw-http.js';
import { fillPath, pathParams, routes, schemaOf } from '../support/routes.js';
import { operatorOf, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** CASES 30: names in paths that are no names. */

const BAD_NAMES: Record<string, string> = {
  'the folder above': '..',
  'the folder itself': '.',
  'a path upwards': '../../../../etc/passwd',
  'an encoded folder above': '%2e%2e',
  'an encoded path upwards': '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  'an encoded path with backslashes': '%2e%2e%5cetc%5cpasswd',
  'a doubly encoded path upwards': '%252e%252e%252fetc%252fpasswd',
  'an overlong encoding of a slash': '..%c0%af..%c0%afetc%c0%afpasswd',
  'an absolute path': '%2fetc%2fpasswd',
  'a NUL': '%00',
  'a NUL after an id': `${randomUUID()}%00`,
  'a line break': '%0d%0aSet-Cookie:%20a=b',
  'a blank': '%20',
  nothing: '',
  'a broken escape': '%',
  'half an escape': '%e',
  'bytes that are no UTF-8': '%ff%fe',
  'half a surrogate': '%ed%a0%80',
  'letters of other scripts': '%D0%B8%D0%BC%D1%8F',
  'a letter that looks like another': 'l%D0%B5dger',
  'a reversing mark': '%E2%80%AEabc',
  'a full-width dot path': '%EF%BC%8E%EF%BC%8E%EF%BC%8F',
  'a wildcard': '*',
  'a parameter of the path': ':id',
  'a matrix parameter': `${randomUUID()};x=1`,
  quotes: "'%20OR%20'1'='1",
  'a prototype key': '__proto__',
  'a name of an object': 'constructor',
  'a long name': 'a'.repeat(190),
  'a name longer than the router takes': 'a'.repeat(300),
  'a very long name': 'a'.repeat(12_000),
};

let stack: Stack;
let owner: Person;
let operator: Person;
beforeAll(async () => {
  stack = await startStack({ workers: 0 });
  ({ owner } = await tenantWithOwner(stack));
  operator = await operatorOf(stack);
}, 120_000);
afterAll(() => stack.stop());

/** What is right for everything but the name that is tried. */
const FINE: Record<string, string> = { pack_id: 'ledger', version: '1.0.0' };
const BODIES: Record<string, object> = {
  members_assign_role: { role: 'member' },
  packs_activate: {},
  packs_rollback: {},
  providers_update: {},
  bindings_rotate: { fields: { token: 'x' } },
  projects_update: { name: 'x' },
  roles_update: { grants: [{ capability: 'audit.read' }] },
  oidc_issuers_update: {},
  oidc_issuers_link: { subject: 'x' },
  tenants_invite_owner: { email: 'x@example.com' },
  projects_access: {},
  approvals_approve: {},
  approvals_reject: {},
  webhooks_update: {},
  sense_sources_set: { enabled: false },
};

/** Who may use the route at all. */
const handsFor = (route: Pick<Route, 'requires'>): Person => (route.requires === 'platform.manage' ? operator : owner);

const tried = routes.flatMap(([operation, route]) =>
  pathParams(route.path).map((name) => [operation, name, route] as const),
);

describe('names that are no names', () => {
  it('are tried with a good body wherever a route takes one', () => {
    const with_body = tried.filter(([, , route]) => schemaOf(route, 'body')).map(([operation]) => operation);
    expect(Object.keys(BODIES).sort()).toEqual([...new Set(with_body)].sort());
  });

  it.each(tried)('find nothing: %s, %s', async (operation, param, route) => {
    const others = Object.fromEntries(pathParams(route.path).map((name) => [name, FINE[name] ?? randomUUID()]));
    const body = BODIES[operation] && JSON.stringify(BODIES[operation]);
    for (const [what, name] of Object.entries(BAD_NAMES)) {
      const path = fillPath(route.path, { ...others, [param]: name });
      const { token } = handsFor(route);
      const answer = await rawCall(stack.urls[0], route.method, path, { token, body });
      expect([400, 404], `${what}: ${answer.text}`).toContain(answer.status);
      expect(answer.headers['content-type'], what).toMatch(/^application\/problem\+json/);
      const problem = JSON.parse(answer.text) as { code: string; status: number };
      expect(problem).toMatchObject({
        status: answer.status,
        code: answer.status === 404 ? 'not_found' : 'invalid_request',
      });
      expect(answer.text).not.toContain('root:');
      expect(answer.headers['set-cookie']).toBeUndefined();
      // What was sent is not sent back: it may be something that its sender did not mean to show.
      if (name.length > 12 && name !== others[param]) expect(answer.text).not.toContain(name);
    }
  });

  it('of files stay in the workspace', async () => {
    const { token } = owner;
    const made = await stack.call('POST', '/v1/projects', { token, body: { name: randomUUID() } });
    const project = String(made.body.id);
    const before = new Set(await readdir(stack.data_dir, { recursive: true }));
    for (const [what, name] of Object.entries(BAD_NAMES)) {
      for (const method of ['PUT', 'GET', 'DELETE']) {
        const body = method === 'PUT' ? Buffer.from('canary') : undefined;
        const path = `/v1/projects/${project}/files/${name}`;
        const answer = await rawCall(stack.urls[0], method, path, { token, body, type: 'application/octet-stream' });
        expect(answer.status, `${method} ${what}: ${answer.text}`).toBeLessThan(500);
        expect(answer.text).not.toContain('root:');
        if (/\.\.|%2e%2e|%00|^%2f|^%ff|%c0/.test(name))
          expect([400, 404], `${method} ${what}`).toContain(answer.status);
      }
    }
    const added = (await readdir(stack.data_dir, { recursive: true })).filter((path) => !before.has(path));
    expect(added.filter((path) => !path.includes(project) && path.includes('passwd'))).toEqual([]);
    expect(existsSync(join(stack.data_dir, '..', 'etc'))).toBe(false);
  });

  it('are no way around the door: other methods on every path', async () => {
    const paths = [...new Set(routes.filter(([, { requires }]) => requires !== 'public').map(([, { path }]) => path))];
    for (const path of paths) {
      const filled = fillPath(path, {
        ...FINE,
        id: randomUUID(),
        principal_id: randomUUID(),
        assignment_id: randomUUID(),
      });
      for (const method of ['HEAD', 'OPTIONS', 'PATCH', 'PUT', 'DELETE', 'TRACE', 'PROPFIND', 'POST', 'GET']) {
        for (const around of [
          filled,
          `${filled}/`,
          filled.replace('/v1', '/V1'),
          `/${filled}`,
          `/.${filled}`,
          filled.replace('/v1', '/v1/.'),
        ]) {
          const answer = await rawCall(stack.urls[0], method, around);
          expect([400, 401, 404, 405], `${method} ${around}`).toContain(answer.status);
        }
      }
    }
  });

  it('find no file through the documentation', async () => {
    for (const name of Object.values(BAD_NAMES)) {
      for (const base of ['/docs/', '/docs/../', '/openapi.json/', '/']) {
        const answer = await rawCall(stack.urls[0], 'GET', base + name);
        expect(answer.status, base + name).toBeLessThan(500);
        expect(answer.text).not.toContain('root:');
        expect(answer.text).not.toMatch(/"(dependencies|devDependencies)"/);
      }
    }
  });

  it('in a query are refused by name', async () => {
    const lists = routes.filter(
      ([, route]) => route.method === 'GET' && schemaOf(route, 'query') && !route.path.includes(':'),
    );
    expect(lists.length).toBeGreaterThan(5);
    for (const [, route] of lists) {
      for (const [name, property] of Object.entries(schemaOf(route, 'query')?.properties ?? {})) {
        for (const bad of ['%00', '%ff', '../x', 'x'.repeat(5000), '', '%D0%B8']) {
          // What else has to be there, each of them a number.
          const needed = schemaOf(route, 'query')?.required?.filter((other) => other !== name) ?? [];
          const path = `${route.path}?${[`${name}=${bad}`, ...needed.map((other) => `${other}=0`)].join('&')}`;
          const { token } = handsFor(route);
          const answer = await rawCall(stack.urls[0], 'GET', path, { token });
          // An action, or what one searches for, is any text; what there is not is not found.
          const allowed = ['action', 'search'].includes(name) ? [200, 400] : [400];
          expect(allowed, `${path.slice(0, 80)} ${property.type ?? ''}: ${answer.text}`).toContain(answer.status);
          if (answer.status === 400) expect(JSON.parse(answer.text)).toMatchObject({ errors: [{ path: `/${name}` }] });
        }
      }
    }
  });
});

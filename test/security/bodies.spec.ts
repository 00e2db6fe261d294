import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawCall } from '../support/raw-http.js';
import { fillPath, routes, schemaOf } from '../support/routes.js';
import { operatorOf, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';
import { BODIES, CANARY, MIB } from './support/bad-bodies.js';

/** SPEC E2, I1 for every route with a body but exec: refused by the name of the field, and its value is not repeated. */

let stack: Stack;
let owner: Person;
let operator: Person;
beforeAll(async () => {
  stack = await startStack({ workers: 0 });
  ({ owner } = await tenantWithOwner(stack));
  operator = await operatorOf(stack);
}, 120_000);
afterAll(() => stack.stop());

/** What OAuth's own endpoints refuse is tried with them: `test/medium/api/oauth-*.spec.ts`. */
const others = routes.filter(
  ([id, route]) => id !== 'exec' && route.refusals === undefined && schemaOf(route, 'body') !== null,
);
const ID = '00000000-0000-4000-8000-000000000000';

describe.each(others)('%s', (_id, route) => {
  const path = fillPath(route.path, {
    id: ID,
    pack_id: 'ledger',
    version: '1.0.0',
    assignment_id: ID,
    principal_id: ID,
  });
  const send = (body: string | Buffer, type?: string) => {
    const { token } = route.requires === 'platform.manage' ? operator : owner;
    return rawCall(stack.urls[0], route.method, path, { token, body, type });
  };

  /** @param paths one of these is the field that is named */
  async function problem(body: string | Buffer, paths: readonly string[], status = 400, type?: string): Promise<void> {
    const answer = await send(body, type);
    expect(answer.status, `${body.toString().slice(0, 200)} ${answer.text}`).toBe(status);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    const found = JSON.parse(answer.text) as { code: string; errors: { path: string; message: string }[] };
    expect(found.code).toBe(
      { 400: 'invalid_request', 413: 'payload_too_large', 415: 'unsupported_media_type' }[status],
    );
    expect(paths, answer.text).toContain(found.errors[0]?.path);
    expect(found.errors[0]?.message).toBeTruthy();
    expect(answer.text).not.toContain(CANARY);
  }

  const properties = Object.entries(schemaOf(route, 'body')?.properties ?? {});

  it('refuses what is no strict JSON object', async () => {
    await problem(`{"a":"${CANARY}"`, ['']);
    await problem(`{"a":1,"\\u0061":"${CANARY}"}`, ['/a']);
    await problem(`{"__proto__":{"a":"${CANARY}"}}`, ['/__proto__']);
    await problem(`{"a":[{"constructor":"${CANARY}"}]}`, ['/a/0/constructor']);
    await problem(`\ufeff{}`, ['']);
    await problem(Buffer.from([0x22, 0xff, 0x22]), ['']);
    await problem('{"n":1e400}', ['/n']);
    for (const body of [`["${CANARY}"]`, `"${CANARY}"`, '1', 'null']) await problem(body, ['']);
    await problem(`{"a":"${'a'.repeat(MIB)}"}`, [''], 413);
    await problem(`a=${CANARY}`, [''], 415, 'application/x-www-form-urlencoded');
  });

  it('says 401 first, whatever the body', async () => {
    if (route.requires === 'public') return;
    for (const [what, body, , type] of BODIES) {
      const answer = await rawCall(stack.urls[0], route.method, path, { body, type });
      expect({ what, status: answer.status }).toEqual({ what, status: 401 });
    }
  });

  it('refuses a field that it does not know', () =>
    problem(`{"unknown_field":"${CANARY}"}`, ['', '/unknown_field', ...properties.map(([name]) => `/${name}`)]));

  it.each(properties)('refuses a wrong %s', async (name, property) => {
    const required = properties.map(([other]) => `/${other}`);
    for (const wrong of [
      { a: CANARY },
      [[CANARY]],
      1e9 + 0.5,
      `${CANARY}\u0000`,
      `${CANARY}\ud800`,
      CANARY.repeat(2000),
    ]) {
      // Any text is right for some fields, and any object for some: those need not be named.
      const answer = await send(JSON.stringify({ [name]: wrong }));
      expect(answer.status, `${name}: ${answer.text}`).not.toBe(500);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.text).not.toContain(CANARY);
      const fits = property.type === 'object' && !Array.isArray(wrong) && typeof wrong === 'object';
      if (typeof wrong !== 'string' && !fits) {
        expect(
          (JSON.parse(answer.text) as { errors: { path: string }[] }).errors.map(({ path: at }) =>
            at.split('/', 2).join('/'),
          ),
        ).toContain(`/${name}`);
      }
    }
    expect(required.length).toBeGreaterThan(0);
  });
});

describe('a text that the database cannot keep', () => {
  it.each([
    ['/v1/projects', {}],
    ['/v1/agents', { kind: 'service' }],
    ['/v1/api-keys', {}],
  ])('is refused as a name: %s', async (path, more) => {
    for (const name of [`a\u0000${CANARY}`, `a\ud800${CANARY}`]) {
      const answer = await stack.call('POST', path, { token: owner.token, body: { ...more, name } });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ path: '/name' }] } });
      expect(JSON.stringify(answer.body)).not.toContain(CANARY);
    }
  });
});

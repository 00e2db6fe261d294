import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultEnvelope } from '@hcp/core';
import { rawCall } from '../support/raw-http.js';
import { fillPath, routes, schemaOf } from '../support/routes.js';
import { startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** SPEC E2: what is no envelope is refused whole, by the name of the field, and its value is not repeated. */

const CANARY = 'canary-5b1d';
const MIB = 1024 * 1024;
const envelope = (more: string): string => `{"pack_id":"x","verb_key":"y","args":{}${more}}`;

let stack: Stack;
let owner: Person;
beforeAll(async () => {
  stack = await startStack({ workers: 0 });
  ({ owner } = await tenantWithOwner(stack));
}, 120_000);
afterAll(() => stack.stop());

const BODIES: readonly (readonly [what: string, body: string | Buffer, field: string, type?: string])[] = [
  ['an unknown field', envelope(`,"project_id":"${CANARY}"`), 'project_id'],
  ['an unknown field with a strange name', envelope(`,"${CANARY} \\u202e":1`), '(unprintable name)'],
  ['a field twice', envelope(`,"pack_id":"${CANARY}"`), 'pack_id'],
  ['a field twice with the same value', envelope(',"pack_id":"x"'), 'pack_id'],
  ['a field twice, once escaped', envelope(`,"\\u0070ack_id":"${CANARY}"`), 'pack_id'],
  ['a field twice, all of it escaped', envelope(',"\\u0076\\u0065\\u0072\\u0062\\u005f\\u006b\\u0065\\u0079":"z"'), 'verb_key'],
  ['an argument twice', `{"pack_id":"x","verb_key":"y","args":{"a":1,"a":"${CANARY}"}}`, 'args.a'],
  ['an argument twice, once escaped', `{"pack_id":"x","verb_key":"y","args":{"confirm":false,"c\\u006fnfirm":true}}`, 'args.confirm'],
  ['a key twice within a list', `{"pack_id":"x","verb_key":"y","args":{"l":[0,{"k":1,"k":2}]}}`, 'args.l.1.k'],
  ['__proto__', envelope(`,"__proto__":{"ok":"${CANARY}"}`), '__proto__'],
  ['__proto__, escaped', envelope(`,"\\u005f_proto__":{"ok":"${CANARY}"}`), '__proto__'],
  ['__proto__ among the arguments', `{"pack_id":"x","verb_key":"y","args":{"__proto__":{"a":"${CANARY}"}}}`, 'args.__proto__'],
  ['constructor deep in the arguments', `{"pack_id":"x","verb_key":"y","args":{"a":[{"constructor":{"prototype":1}}]}}`, 'args.a.0.constructor'],
  ['prototype', `{"pack_id":"x","verb_key":"y","args":{"prototype":"${CANARY}"}}`, 'args.prototype'],
  ['no JSON', `{"pack_id":"${CANARY}"`, 'body'],
  ['JSON with a comma too many', `{"pack_id":"${CANARY}",}`, 'body'],
  ['JSON with a comment', `{/*${CANARY}*/"pack_id":"x"}`, 'body'],
  ['two documents', `{"pack_id":"x"}{"pack_id":"${CANARY}"}`, 'body'],
  ['NaN', envelope(',"wait_ms":NaN'), 'body'],
  ['a byte order mark', `\ufeff${envelope('')}`, 'body'],
  ['invalid UTF-8', Buffer.concat([Buffer.from('{"pack_id":"'), Buffer.from([0xff, 0xc0, 0xaf]), Buffer.from('"}')]), 'body'],
  ['UTF-16', Buffer.from(envelope(''), 'utf16le'), 'body'],
  ['a half surrogate as bytes', Buffer.concat([Buffer.from('{"pack_id":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]), 'body'],
  ['nothing', '', 'body'],
  ['blanks', '  \n', 'body'],
  ['a list', `[{"pack_id":"${CANARY}","verb_key":"y"}]`, 'body'],
  ['an empty list', '[]', 'body'],
  ['a text', `"${CANARY}"`, 'body'],
  ['a number', '1', 'body'],
  ['null', 'null', 'body'],
  ['no pack', '{"verb_key":"y"}', 'pack_id'],
  ['no command', '{"pack_id":"x"}', 'verb_key'],
  ['two packs', envelope(`,"surface_id":"${CANARY}"`), 'surface_id'],
  ['a number beyond all', `{"pack_id":"x","verb_key":"y","args":{"n":1e400}}`, 'args.n'],
  ['a number nearly nothing', `{"pack_id":"x","verb_key":"y","args":{"n":1e-400}}`, 'args.n'],
  ['a number with more digits than a double', `{"pack_id":"x","verb_key":"y","args":{"n":0.1000000000000000055511151231257827}}`, 'args.n'],
  ['a number too large to be exact', `{"pack_id":"x","verb_key":"y","args":{"deep":[{"n":12345678901234567890}]}}`, 'args.deep.0.n'],
  ['nesting without end', `{"pack_id":"x","verb_key":"y","args":{"a":${'['.repeat(200)}${']'.repeat(200)}}}`, 'args.a'],
  ['nesting that breaks stacks', `{"pack_id":"x","verb_key":"y","args":{"a":${'{"a":'.repeat(80_000)}1${'}'.repeat(80_000)}}}`, 'args.a'],
  ['a body over 1 MiB', `{"pack_id":"x","verb_key":"y","args":{"a":"${'a'.repeat(MIB)}"}}`, 'body'],
  ['a body far over 1 MiB', Buffer.alloc(8 * MIB, 0x20), 'body'],
  ['a form', `pack_id=${CANARY}`, 'body', 'application/x-www-form-urlencoded'],
  ['text', envelope(''), 'body', 'text/plain'],
  ['XML', `<pack>${CANARY}</pack>`, 'body', 'application/xml'],
  ['a type that only looks like JSON', envelope(''), 'body', 'application/jsonp'],
  ['an archive', envelope(''), 'body', 'application/gzip'],
  ['a type that is none', envelope(''), 'body', CANARY],
];

const WRONG: Record<string, readonly unknown[]> = {
  pack_id: [1, true, null, {}, [], '', ' ', 'a b', `${CANARY}\u0000`, `../${CANARY}`, 'a'.repeat(129), '\ud800'],
  surface_id: [1, null, {}, []],
  verb_key: [1, null, {}, [], '', `${CANARY}\n`, '$(id)'],
  args: [1, CANARY, null, [], [CANARY], true],
  approval_id: [1, null, {}, '', 'a b', `${CANARY}\u0000`],
  approval: [CANARY, { by: 'human' }, { by: CANARY, id: '1' }, { by: 'human', id: 1 }, { by: 'human', id: '1', more: CANARY }, []],
  run_on_approve: ['true', 1, null],
  idempotency_key: [1, null, '', 'a b', 'a'.repeat(201), 'ключ', `${CANARY}\n`],
  wait_ms: ['1', -1, 1.5, 120_001, null, true],
};

async function refused(body: string | Buffer, field: string, type?: string): Promise<void> {
  const answer = await rawCall(stack.urls[0], 'POST', '/v1/exec', { token: owner.token, body, type });
  expect(answer.status, answer.text).toBe(400);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  const result = JSON.parse(answer.text) as ResultEnvelope;
  expect(result).toMatchObject({ ok: false, code: 'invalid_envelope', pack_id: null, verb_key: null, result: null, run_id: null });
  expect(result.error?.startsWith(`invalid envelope: ${field}`), result.error).toBe(true);
  expect(result.hint).toBeTruthy();
  expect(answer.text).not.toContain(CANARY);
  expect(answer.text.length).toBeLessThan(1000);
}

describe('exec', () => {
  it.each(BODIES)('refuses %s', (_what, body, field, type) => refused(body, field, type));

  it.each(Object.entries(WRONG))('refuses a wrong %s', async (field, values) => {
    for (const wrong of values) {
      const good = field === 'surface_id' ? { verb_key: 'y' } : { pack_id: 'x', verb_key: 'y' };
      await refused(JSON.stringify({ ...good, [field]: wrong }), field);
    }
  });

  it('has a wrong type tried for each field that it takes', () => {
    const known = Object.keys(schemaOf(routes.find(([id]) => id === 'exec')![1], 'body')?.properties ?? {});
    expect(Object.keys(WRONG).sort()).toEqual(known.sort());
  });

  it('says 401 first, whatever the body', async () => {
    for (const [what, body, , type] of BODIES) {
      for (const token of [undefined, 'nobody', 'hcp_0_AAAAAAAAAAAAAAAAAAAAAAAA']) {
        const answer = await rawCall(stack.urls[0], 'POST', '/v1/exec', { token, body, type });
        expect({ what, status: answer.status }).toEqual({ what, status: 401 });
        expect(JSON.parse(answer.text)).toMatchObject({ code: 'unauthenticated' });
      }
    }
  });

  it('leaves no key of an envelope on anything else', async () => {
    await refused(envelope(',"__proto__":{"ok":true,"polluted":1}'), '__proto__');
    const { body } = await stack.call('GET', '/v1/me', { token: owner.token });
    expect((body as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('takes a body of exactly 1 MiB', async () => {
    const head = '{"pack_id":"nope","verb_key":"y","args":{"a":"';
    const body = `${head}${'a'.repeat(MIB - head.length - 3)}"}}`;
    const answer = await rawCall(stack.urls[0], 'POST', '/v1/exec', { token: owner.token, body });
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'unknown_pack' });
  });
});

const others = routes.filter(([id, route]) => id !== 'exec' && schemaOf(route, 'body') !== null);
const ID = '00000000-0000-4000-8000-000000000000';

describe.each(others)('%s', (_id, route) => {
  const path = fillPath(route.path, { id: ID, pack_id: 'ledger', version: '1.0.0', assignment_id: ID, principal_id: ID });
  const send = (body: string | Buffer, type?: string) => rawCall(stack.urls[0], route.method, path, { token: owner.token, body, type });

  /** @param paths one of these is the field that is named */
  async function problem(body: string | Buffer, paths: readonly string[], status = 400, type?: string): Promise<void> {
    const answer = await send(body, type);
    expect(answer.status, `${body.toString().slice(0, 200)} ${answer.text}`).toBe(status);
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    const found = JSON.parse(answer.text) as { code: string; errors: { path: string; message: string }[] };
    expect(found.code).toBe({ 400: 'invalid_request', 413: 'payload_too_large', 415: 'unsupported_media_type' }[status]);
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

  it('refuses a field that it does not know', () => problem(`{"unknown_field":"${CANARY}"}`, ['', '/unknown_field', ...properties.map(([name]) => `/${name}`)]));

  it.each(properties)('refuses a wrong %s', async (name) => {
    const required = properties.map(([other]) => `/${other}`);
    for (const wrong of [{ a: CANARY }, [[CANARY]], 1e9 + 0.5, `${CANARY}\u0000`, `${CANARY}\ud800`, CANARY.repeat(2000)]) {
      // Any text is right for some fields, so only the texts that no field takes must be named.
      const answer = await send(JSON.stringify({ [name]: wrong }));
      expect(answer.status, `${name}: ${answer.text}`).not.toBe(500);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.text).not.toContain(CANARY);
      if (typeof wrong !== 'string') {
        expect((JSON.parse(answer.text) as { errors: { path: string }[] }).errors.map(({ path: at }) => at.split('/', 2).join('/'))).toContain(`/${name}`);
      }
    }
    expect(required.length).toBeGreaterThan(0);
  });
});

describe('a text that the database cannot keep', () => {
  it.each([['/v1/projects', {}], ['/v1/agents', { kind: 'service' }], ['/v1/api-keys', {}]])('is refused as a name: %s', async (path, more) => {
    for (const name of [`a\u0000${CANARY}`, `a\ud800${CANARY}`]) {
      const answer = await stack.call('POST', path, { token: owner.token, body: { ...more, name } });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ path: '/name' }] } });
      expect(JSON.stringify(answer.body)).not.toContain(CANARY);
    }
  });
});

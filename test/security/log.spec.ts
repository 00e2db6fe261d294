import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultEnvelope } from '@hcp/core';
import { assignRole, makeService } from '@hcp/testing';
import { dump, spellings } from '../support/dump.js';
import { packArchive } from '../support/packs.js';
import { rawCall } from '../support/raw-http.js';
import { eventually } from '../support/process.js';
import { install, keyFor, startStack, tenantWithOwner, type Person, type Stack } from '../support/stack.js';

/** SPEC U1, R5, B4, O3: what was sent and answered stands nowhere in clear, neither in a table nor in what a process prints. */

const BIN = `#!/usr/bin/env node
const [verb, value] = process.argv.slice(2);
if (verb === 'fail') { console.error('no ' + value); process.exit(3); }
if (verb === 'slow') setTimeout(() => console.log(value), 60_000);
else console.log(JSON.stringify({ said: value + '-answer' }));
`;

/** Every kind of thing that must not be seen, each with a value that is found nowhere else. */
const canaries = new Map<string, string>();
function canary(what: string): string {
  const value = `canary-${randomBytes(12).toString('hex')}`;
  canaries.set(what, value);
  return value;
}
function keep(what: string, secret: unknown): string {
  if (typeof secret !== 'string' || secret.length < 20) throw new Error(`no ${what}`);
  canaries.set(what, secret);
  return secret;
}
/** The part of a token that is secret: ids are no secret. */
const secretOf = (token: unknown): unknown =>
  typeof token === 'string' ? token.slice(token.indexOf('_', token.indexOf('_') + 1) + 1) : undefined;

let stack: Stack;
let owner: Person;

beforeAll(async () => {
  stack = await startStack({ env: { LOG_LEVEL: 'trace' } });
  const { tenant_id, owner: person } = await tenantWithOwner(stack);
  owner = person;
  keep('the password', owner.password);
  keep('the access token', owner.token.split('.')[2]);
  const value = {
    type: 'object' as const,
    properties: { value: { type: 'string' }, number: { type: 'number' } },
    required: ['value'],
  };
  const cli = (verb: string) => ({ description: `Does ${verb}.`, cli: ['demo', verb, '{{value}}'], args: value });
  await install(
    stack,
    owner.token,
    await packArchive({
      pack_id: 'demo',
      bin: BIN,
      commands: {
        say: cli('say'),
        fail: cli('fail'),
        slow: cli('slow'),
        write: {
          ...cli('write'),
          preview: { kind: 'change', title: 'Write {{value}}', fields: { value: '{{value}}' } },
          policy: { operation: 'write', confirm: true },
        },
      },
    }),
  );
  await authentication(tenant_id);
  await commands();
}, 120_000);
afterAll(() => stack.stop());

async function authentication(tenant_id: string): Promise<void> {
  const post = (path: string, body: object, token?: string) =>
    stack.call('POST', path, { body, ...(token !== undefined && { token }) });
  const wrong = await post('/v1/auth/token', { email: owner.email, password: canary('a wrong password') });
  expect(wrong.status).toBe(401);
  await post('/v1/auth/token', {
    email: `${canary('an unknown person')}@example.com`,
    password: canary('a password of nobody'),
  });
  const tokens = await post('/v1/auth/token', { email: owner.email, password: owner.password });
  keep('a second access token', String(tokens.body.access_token).split('.')[2]);
  const refreshed = await post('/v1/auth/refresh', { refresh_token: tokens.body.refresh_token });
  keep('a used refresh token', secretOf(tokens.body.refresh_token));
  keep('a refresh token', secretOf(refreshed.body.refresh_token));
  await post('/v1/auth/refresh', { refresh_token: tokens.body.refresh_token });
  const key = await post('/v1/api-keys', { name: 'a key' }, owner.token);
  keep('an API key', secretOf(key.body.key));
  expect((await stack.call('GET', '/v1/me', { token: String(key.body.key) })).status).toBe(200);
  const id = String(key.body.id).replaceAll('-', '');
  const forged = `hcp_${id}_${keep('a forged key', randomBytes(32).toString('base64url'))}`;
  expect((await stack.call('GET', '/v1/me', { token: forged })).status).toBe(401);
  expect((await stack.call('GET', '/v1/me', { token: canary('a bearer that is none') })).status).toBe(401);
  const service = await makeService(stack.database.db, tenant_id);
  await assignRole(stack.database.db, tenant_id, service.id, 'member');
  const { key: other } = await keyFor(stack, tenant_id, service.id);
  keep('a service’s key', secretOf(other));
  await stack.call('GET', '/v1/me', {
    token: other,
    headers: { cookie: `session=${canary('a cookie')}`, 'hcp-session': canary('a session header') },
  });
}

async function exec(verb_key: string, args: object, more: object = {}): Promise<ResultEnvelope> {
  const body = { pack_id: 'demo', verb_key, args, ...more };
  return (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: owner.token, body })).body;
}

async function commands(): Promise<void> {
  const said = canary('an argument, and what the command answers');
  expect(await exec('say', { value: said })).toMatchObject({ ok: true, result: { said: `${said}-answer` } });
  expect(await exec('fail', { value: canary('an argument, and an error') })).toMatchObject({ code: 'exit_nonzero' });
  const long = `${canary('a long argument with quotes')} "quoted" \\ € ${'x'.repeat(5000)}`;
  expect(await exec('say', { value: long })).toMatchObject({ ok: true });
  expect(await exec('write', { value: canary('an argument of an ask') })).toMatchObject({ code: 'confirm_required' });
  expect(await exec('write', { value: canary('an argument of a write'), confirm: true })).toMatchObject({ ok: true });
  expect(await exec('say', { value: 'x', number: canary('an argument of a wrong type') })).toMatchObject({
    code: 'invalid_args',
  });
  expect(await exec('say', { value: 'x', [canary('a name of an argument')]: 1 })).toMatchObject({
    code: 'invalid_args',
  });
  expect(await exec('say', { value: `${canary('an argument with NUL')}\u0000` })).toMatchObject({
    code: 'invalid_args',
  });
  expect(await exec('nothing', { value: canary('an argument of no command') })).toMatchObject({ code: 'no_policy' });
  expect(await exec('say', { value: canary('an argument of a repeat') }, { idempotency_key: 'k' })).toMatchObject({
    ok: true,
  });
  expect(await exec('say', { value: canary('an argument of a conflict') }, { idempotency_key: 'k' })).toMatchObject({
    code: 'idempotency_conflict',
  });
  const slow = await exec('slow', { value: canary('an argument of a cancelled run') }, { wait_ms: 0 });
  await eventually(
    'it runs',
    async () =>
      (await stack.call('GET', `/v1/runs/${String(slow.run_id)}`, { token: owner.token })).body.status === 'running',
  );
  await stack.call('POST', `/v1/runs/${String(slow.run_id)}/cancel`, { token: owner.token });
  await stack.call('POST', '/v1/exec', {
    token: owner.token,
    body: { pack_id: 'demo', verb_key: 'say', args: {}, [canary('a name of a field')]: canary('a field') },
  });
  await stack.call('POST', '/v1/exec', { token: owner.token, raw: `{"pack_id":"${canary('broken JSON')}` });
  await stack.call('POST', '/v1/projects', { token: owner.token, body: { name: { a: canary('a wrong name') } } });
  await rawCall(stack.urls[0], 'GET', `/v1/runs?cursor=${canary('a query')}`, { token: owner.token });
  await rawCall(stack.urls[0], 'GET', `/v1/runs/%c0%af${canary('a broken path')}`, { token: owner.token });
  await eventually('all runs have ended', async () => {
    const { body } = await stack.call<{ items: { finished_at: string | null }[] }>('GET', '/v1/runs?limit=200', {
      token: owner.token,
    });
    return body.items.every(({ finished_at }) => finished_at !== null);
  });
}

/** Which canaries stand in this text, in whatever spelling. */
const seen = (text: string): string[] =>
  [...canaries].flatMap(([what, secret]) =>
    spellings(secret).some((spelling) => text.includes(spelling)) ? [what] : [],
  );

describe('a value', () => {
  it('is found by this test where it is', async () => {
    const name = canary('a name of a project');
    expect((await stack.call('POST', '/v1/projects', { token: owner.token, body: { name } })).status).toBe(201);
    const tables = await dump(stack.database.superuser_url);
    expect(seen((tables.get('public.projects') ?? []).join('\n'))).toEqual(['a name of a project']);
    expect(seen(Buffer.from(`ab${name}cd`).toString('base64'))).toEqual(['a name of a project']);
    expect(seen(Buffer.from(`${randomUUID()}${name}`).toString('base64'))).toEqual(['a name of a project']);
    expect(seen(`\\x${Buffer.from(name).toString('hex')}`)).toEqual(['a name of a project']);
    canaries.delete('a name of a project');
    expect(tables.size).toBeGreaterThan(20);
  });

  it('stands in clear in no table of the product or of its queue', async () => {
    const tables = await dump(stack.database.superuser_url);
    canaries.delete('an unknown person');
    for (const [table, rows] of tables) expect({ table, seen: seen(rows.join('\n')) }).toEqual({ table, seen: [] });
    expect([...tables.keys()].filter((table) => table.startsWith('bullmq.')).length).toBeGreaterThan(0);
    expect(tables.get('public.runs')?.length).toBeGreaterThan(5);
    expect(tables.get('public.audit_events')?.length).toBeGreaterThan(20);
  });

  it('is printed by no process, at its most talkative', () => {
    for (const one of [...stack.apis, ...stack.workers]) {
      expect(one.output()).not.toBe('');
      expect(seen(one.output())).toEqual([]);
    }
  });

  it('is told to nobody by the audit', async () => {
    const { body } = await stack.call('GET', '/v1/audit?limit=200', { token: owner.token });
    expect(seen(JSON.stringify(body))).toEqual([]);
    const exported = await stack.call<string>('GET', '/v1/audit/export', { token: owner.token });
    expect(exported.body.split('\n').length).toBeGreaterThan(20);
    expect(seen(exported.body)).toEqual([]);
  });
});

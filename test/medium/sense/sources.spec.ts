import { randomUUID } from 'node:crypto';
import type { ResultEnvelope } from '@hcp/core';
import { makeGrant, makeProject, makeService } from '@hcp/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { dump } from '../../support/dump.js';
import { eventually } from '../../support/process.js';
import { keyFor, signedIn, startStack, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';
import { due, event, installSource, list, looks, nextLook, print, READS, SAYS, setSource, waitFor } from './world.js';

/** Packs that are looked at on schedule, on two workers (SPEC W8, N1; CASES 23). */

let stack: Stack;
let tenant_id: string;
let owner: Person;

beforeAll(async () => {
  stack = await startStack({ workers: 2 });
}, 120_000);
afterAll(() => stack.stop());
beforeEach(async () => {
  ({ tenant_id, owner } = await tenantWithOwner(stack));
});

const waitForLooks = (count: number): Promise<true> =>
  eventually(`${String(count)} looks`, async () => (await looks(stack, tenant_id, 'disk')).length === count, 30_000);

const exec = async (pack_id: string, token = owner.token) =>
  (
    await stack.call<ResultEnvelope>('POST', '/v1/exec', {
      token,
      body: { pack_id, verb_key: 'look', args: {} },
    })
  ).body;

it('answers its events to whoever calls it, and publishes nothing of that', async () => {
  await installSource(stack, owner.token, { pack_id: 'disk', bin: SAYS(print(event('a'))) });
  expect(await exec('disk')).toMatchObject({ ok: true, result: { events: [event('a')] } });
  expect(await list(stack, owner.token, '?open=0')).toEqual([]);
});

it('raises what a look saw, counts what it sees again, and clears what is gone', async () => {
  const { id: project_id } = await makeProject(stack.database.db, tenant_id, [owner.id]);
  await installSource(stack, owner.token, { pack_id: 'disk', bin: READS, wrap: { workspace: { mode: 'project' } } });
  const say = (...events: object[]) =>
    stack.call('PUT', `/v1/projects/${project_id}/files/events.json`, {
      token: owner.token,
      raw: new Uint8Array(Buffer.from(print(...events))),
      headers: { 'content-type': 'application/octet-stream' },
    });
  await say(event('a'), event('b'));
  expect(await setSource(stack, owner.token, 'disk', { enabled: true, every_s: 3600, project_id })).toMatchObject({
    status: 200,
    body: { pack_id: 'disk', project_id, enabled: true, every_s: 3600, enabled_by: owner.id, paused_at: null },
  });
  const both = await waitFor(stack, owner.token, 'both', (all) => all.length === 2);
  expect(both.map(({ subject, count, verb_key }) => ({ subject, count, verb_key }))).toEqual(
    Array.from({ length: 2 }, () => ({ subject: 'disk', count: 1, verb_key: 'look' })),
  );
  await say(event('b', { severity: 'error' }));
  await nextLook(stack, tenant_id, 'disk');
  const left = await list(stack, owner.token);
  expect(left).toMatchObject([{ severity: 'error', count: 2, project_id, message: 'b is nearly full' }]);
  const all = await list(stack, owner.token, '?open=0');
  expect(all.filter(({ cleared_at }) => cleared_at !== null).map(({ message }) => message)).toEqual([
    'a is nearly full',
  ]);
  await setSource(stack, owner.token, 'disk', { enabled: false, project_id });
  expect(await list(stack, owner.token)).toEqual([]);
});

it('has one look a tick, by either worker', async () => {
  await installSource(stack, owner.token, { pack_id: 'disk', bin: SAYS(print()) });
  await setSource(stack, owner.token, 'disk', { enabled: true, every_s: 60 });
  await waitForLooks(1);
  for (const ticks of [2, 3, 4]) {
    await nextLook(stack, tenant_id, 'disk');
    expect(await looks(stack, tenant_id, 'disk')).toHaveLength(ticks);
  }
});

it.each([
  ['no JSON', 'all is well'],
  ['another shape', '{"events":[],"more":1}'],
  ['a severity that is none', print(event('a', { severity: 'fatal' }))],
  ['a word of the product', print(event('a', { kind: 'credential_stale' }))],
  ['the same key twice', print(event('a'), event('a'))],
])('fails where its program prints %s, publishes nothing of it and says so', async (_, text) => {
  await installSource(stack, owner.token, { pack_id: 'disk', bin: SAYS(text) });
  const answer = await exec('disk');
  expect(answer).toMatchObject({ ok: false, code: 'invalid_events' });
  await setSource(stack, owner.token, 'disk');
  const open = await waitFor(stack, owner.token, 'the failure', (all) => all.length > 0);
  expect(open).toMatchObject([{ kind: 'source_failed', severity: 'warning', pack_id: 'disk' }]);
});

it('hides the secrets of its look in everything that is kept and told', async () => {
  const secret = `canary-${randomUUID()}`;
  const bin = `#!/usr/bin/env node
const t = process.env.DISK_TOKEN;
const spelt = [...t].map((c) => '\\\\u' + c.charCodeAt(0).toString(16).padStart(4, '0')).join('');
console.log('{"events":[{"kind":"disk_low","severity":"error","subject":"x","key":"k' + t + '","message":"' + spelt + ' is wrong"}]}');
`;
  const binding = { family: 'user', env: { DISK_TOKEN: '{{token}}' } } as const;
  await installSource(stack, owner.token, { pack_id: 'disk', bin, binding });
  const body = { pack_id: 'disk', family: 'user', kind: 'secret', fields: { token: secret } };
  expect((await stack.call('POST', '/v1/bindings', { token: owner.token, body })).status).toBe(201);
  await setSource(stack, owner.token, 'disk');
  const [found] = await waitFor(stack, owner.token, 'the event', (all) => all.length > 0);
  expect(found).toMatchObject({ kind: 'disk_low', message: '[redacted] is wrong' });
  const rows = [...(await dump(stack.database.superuser_url)).values()].flat().join('\n');
  expect(rows).toContain('[redacted] is wrong');
  expect(rows).not.toContain(secret);
});

it('stops by itself once whoever enabled it may not any more, and says so; whoever may has it go on', async () => {
  await installSource(stack, owner.token, { pack_id: 'disk', bin: SAYS(print(event('a'))) });
  const member = await signedIn(stack, tenant_id, 'member');
  const grant = await makeGrant(stack.database.db, tenant_id, member.id, 'sense.enable', { pack_id: 'disk' });
  expect((await setSource(stack, member.token, 'disk')).status).toBe(200);
  await nextLook(stack, tenant_id, 'disk');
  await stack.call('POST', '/v1/auth/logout', { token: member.token });
  // A sign-out ends no source.
  await nextLook(stack, tenant_id, 'disk');
  await stack.database.db.tenant(tenant_id, (tx) => tx.grant.deleteMany({ where: { tenant_id, id: grant.id } }));
  await due(stack, tenant_id, 'disk');
  const paused = await waitFor(stack, owner.token, 'the pause', (all) =>
    all.some(({ kind }) => kind === 'source_paused'),
  );
  expect(paused.map(({ kind }) => kind).sort()).toEqual(['disk_low', 'source_paused']);
  const sources = await stack.call<{ items: object[] }>('GET', '/v1/sense/sources', { token: owner.token });
  expect(sources.body.items).toMatchObject([{ paused_reason: 'missing_capability', next_at: null }]);
  expect((await setSource(stack, owner.token, 'disk')).status).toBe(200);
  expect((await list(stack, owner.token)).map(({ kind }) => kind)).toEqual(['disk_low']);
});

it('is turned on by people and services that were granted it, and not where its commands would ask or be denied', async () => {
  await installSource(stack, owner.token, { pack_id: 'disk', bin: SAYS(print()) });
  const member = await signedIn(stack, tenant_id, 'member');
  expect(await setSource(stack, member.token, 'disk')).toMatchObject({
    status: 403,
    body: { code: 'missing_capability' },
  });
  const agent = randomUUID();
  await stack.database.db.tenant(tenant_id, (tx) =>
    tx.principal.create({ data: { tenant_id, id: agent, kind: 'agent', name: 'a', acts_for: owner.id } }),
  );
  await makeGrant(stack.database.db, tenant_id, agent, 'sense.enable');
  const { key } = await keyFor(stack, tenant_id, agent);
  expect(await setSource(stack, key, 'disk')).toMatchObject({ status: 403, body: { code: 'human_only' } });
  const service = await makeService(stack.database.db, tenant_id);
  for (const capability of ['sense.enable', 'verb.exec.read'] as const) {
    await makeGrant(stack.database.db, tenant_id, service.id, capability);
  }
  const { key: service_key } = await keyFor(stack, tenant_id, service.id);
  expect((await setSource(stack, service_key, 'disk', { enabled: true })).status).toBe(200);
  expect((await setSource(stack, service_key, 'disk', { enabled: false })).status).toBe(200);
  const rule = { match: '*', decision: 'ask' };
  expect((await stack.call('POST', '/v1/access/rules', { token: owner.token, body: rule })).status).toBe(201);
  expect(await setSource(stack, owner.token, 'disk')).toMatchObject({ status: 409, body: { code: 'conflict' } });
  expect(
    await stack.database.db.tenant(tenant_id, (tx) =>
      tx.session.count({ where: { kind: 'standing', revoked_at: null } }),
    ),
  ).toBe(0);
});

it('stops by itself where its command would ask by now', async () => {
  await installSource(stack, owner.token, { pack_id: 'disk', bin: SAYS(print()) });
  await setSource(stack, owner.token, 'disk');
  await nextLook(stack, tenant_id, 'disk');
  const rule = { match: '*', decision: 'ask' };
  await stack.call('POST', '/v1/access/rules', { token: owner.token, body: rule });
  await due(stack, tenant_id, 'disk');
  const [paused] = await waitFor(stack, owner.token, 'the pause', (all) => all.length > 0);
  expect(paused).toMatchObject({ kind: 'source_paused', pack_id: 'disk' });
  expect(paused?.message).toContain('confirm_required');
  expect((await stack.call<{ items: unknown[] }>('GET', '/v1/approvals', { token: owner.token })).body.items).toEqual(
    [],
  );
});

it('waits where its pack is not active or stopped, and goes on by itself', async () => {
  await installSource(stack, owner.token, { pack_id: 'disk', bin: SAYS(print(event('a'))) });
  await setSource(stack, owner.token, 'disk');
  await waitFor(stack, owner.token, 'its event', (all) => all.length === 1);
  expect((await stack.call('POST', '/v1/packs/disk/stop', { token: owner.token })).status).toBeLessThan(300);
  await due(stack, tenant_id, 'disk');
  const kinds = (all: readonly { kind: string; subject: string }[]) => all.map(({ kind }) => kind).sort();
  await waitFor(stack, owner.token, 'both reasons', (all) => all.length === 3);
  expect(kinds(await list(stack, owner.token))).toEqual(['disk_low', 'pack_unavailable', 'pack_unavailable']);
  await stack.call('POST', '/v1/packs/disk/resume', { token: owner.token });
  await nextLook(stack, tenant_id, 'disk');
  expect(kinds(await list(stack, owner.token))).toEqual(['disk_low']);
});

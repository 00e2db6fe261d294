import { makeAgent, makeGrant, makeProject, makeService } from '@hcp/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { keyFor, signedIn, startStack, type Stack } from '../../support/stack.js';
import { World } from './world.js';

/** Who sets up endpoints, and which (SPEC A8, G5, S4). */

let stack: Stack;
let world: World;
beforeAll(async () => {
  stack = await startStack({ workers: 0, env: { HCP_EGRESS_ALLOW_PRIVATE: '127.0.0.1' } });
}, 120_000);
afterAll(() => stack.stop());
beforeEach(async () => {
  world = await World.make(stack);
});

const body = { url: 'http://127.0.0.1:9/', events: ['run.finished'] };

it('shows the secret once, lists, changes, switches off and removes', async () => {
  const made = await world.webhook(body.url, { description: 'One' });
  expect(made.secret).toMatch(/^whsec_/);
  const { secret: _secret, ...shown } = made;
  expect(await world.get(made.id)).toEqual(shown);
  const second = await world.webhook('http://127.0.0.1:9/hook');
  const listed = await world.api<{ items: { id: string }[]; next_cursor: string }>('GET', '/v1/webhooks?limit=1');
  expect(listed.body.items.map(({ id }) => id)).toEqual([second.id]);
  const rest = await world.api('GET', `/v1/webhooks?cursor=${listed.body.next_cursor}`);
  expect(rest.body).toEqual({ items: [shown], next_cursor: null });
  await world.test(made.id);
  const off = await world.api('PUT', `/v1/webhooks/${made.id}`, { enabled: false, pack_ids: ['trial'] });
  expect(off.body).toMatchObject({ enabled: false, disabled_reason: 'by_hand', pack_ids: ['trial'], url: body.url });
  expect(await world.deliveries(made.id)).toMatchObject([{ state: 'dead', last_error: 'disabled' }]);
  expect((await world.api('DELETE', `/v1/webhooks/${made.id}`)).status).toBe(204);
  expect((await world.api('GET', `/v1/webhooks/${made.id}`)).status).toBe(404);
  expect(await world.acts()).toEqual([
    'webhook.delete',
    'webhook.update',
    'webhook.test',
    'webhook.create',
    'webhook.create',
  ]);
  const audit = await world.api('GET', '/v1/audit?limit=200');
  expect(JSON.stringify(audit.body)).not.toContain(made.secret);
  expect(JSON.stringify(audit.body)).not.toContain('/hook');
});

it.each([
  ['http://example.com/', 'must be an https URL'],
  ['https://user:pw@127.0.0.1/', 'must be an https URL'],
  ['https://10.0.0.1/', 'private'],
  ['https://169.254.169.254/latest', 'private'],
  ['https://localhost/', 'private'],
  ['https://[::1]/', 'private'],
  ['https://2130706433/', 'must name a host'],
  ['ftp://127.0.0.1/', 'must be an https URL'],
  ['not a url', 'must be an https URL'],
])('refuses %s by its field, on making and on changing', async (url, why) => {
  const { id } = await world.webhook(body.url);
  for (const [method, path] of [
    ['POST', '/v1/webhooks'],
    ['PUT', `/v1/webhooks/${id}`],
  ] as const) {
    const refused = await world.api<{ errors: { path: string; message: string }[] }>(method, path, { ...body, url });
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ path: '/url' }] } });
    expect(refused.body.errors[0]?.message).toContain(why);
    expect(JSON.stringify(refused.body)).not.toContain(url);
  }
});

it('is for people and services who manage the tenant and may read its runs, and for no agent', async () => {
  const { db } = stack.database;
  const { tenant_id } = world;
  const post = async (token: string, more: object = {}) => {
    const { status, body: answer } = await world.api('POST', '/v1/webhooks', { ...body, ...more }, token);
    return status === 201 ? 201 : `${String(status)} ${String(answer.code)}`;
  };
  const service = await makeService(db, tenant_id);
  const { key } = await keyFor(stack, tenant_id, service.id);
  await makeGrant(db, tenant_id, service.id, 'tenant.manage');
  expect(await post(key)).toBe('403 missing_capability');
  await makeGrant(db, tenant_id, service.id, 'run.read', { pack_id: 'trial' });
  expect(await post(key)).toBe('403 missing_capability');
  expect(await post(key, { pack_ids: ['trial'] })).toBe(201);
  const agent = await makeAgent(db, tenant_id);
  for (const capability of ['tenant.manage', 'run.read'] as const) await makeGrant(db, tenant_id, agent.id, capability);
  expect(await post((await keyFor(stack, tenant_id, agent.id)).key)).toBe('403 human_only');
  const marked = await stack.call('POST', '/v1/webhooks', {
    ...{ token: world.owner.token, body },
    headers: { 'hcp-agent': '1' },
  });
  expect(marked.body).toMatchObject({ code: 'human_only' });
  expect(await post((await signedIn(stack, tenant_id, 'member')).token)).toBe('403 missing_capability');
  const project = await makeProject(db, tenant_id);
  const narrow = await keyFor(stack, tenant_id, world.owner.id, { project_id: project.id });
  expect(await post(narrow.key)).toBe('403 missing_capability');
});

it('keeps no more than twenty', async () => {
  for (let count = 0; count < 20; count += 1) await world.webhook(body.url);
  expect(await world.api('POST', '/v1/webhooks', body)).toMatchObject({ status: 409, body: { code: 'conflict' } });
});

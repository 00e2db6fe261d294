import { randomUUID } from 'node:crypto';
import type { ResultEnvelope } from '@hcp/core';
import { makeAgent, makeGrant, makeService } from '@hcp/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { leakyPack } from '../../support/leaky.js';
import { Browser, OauthProvider } from '../../support/oauth-provider.js';
import { begin, connect, onwards, registerClient } from '../../support/oauth.js';
import { install, keyFor, startStack, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';

/** Who besides people connects accounts (SPEC A8, B1): services where that was granted, agents never. */

let stack: Stack;
let idp: OauthProvider;
let tenant_id: string;
let owner: Person;
let service: { id: string; key: string; key_id: string };

beforeAll(async () => {
  stack = await startStack({ env: { HCP_EGRESS_ALLOW_PRIVATE: '127.0.0.1' } });
  idp = await OauthProvider.start(randomUUID(), { redirect_uris: [`${stack.urls[0]}/v1/bindings/callback`] });
}, 120_000);
afterAll(async () => {
  await idp.stop();
  await stack.stop();
});
beforeEach(async () => {
  ({ tenant_id, owner } = await tenantWithOwner(stack));
  await install(stack, owner.token, await leakyPack('leaky'));
  expect((await registerClient(stack, owner.token, idp)).status).toBe(201);
  const { id } = await makeService(stack.database.db, tenant_id);
  const { id: key_id, key } = await keyFor(stack, tenant_id, id);
  service = { id, key, key_id };
});

const body = { pack_id: 'leaky' };
const grant = (id: string, capability: Parameters<typeof makeGrant>[3], pack_id: string | null = 'leaky') =>
  makeGrant(stack.database.db, tenant_id, id, capability, { pack_id });
const post = (path: string, token: string, more: object = {}, headers: Record<string, string> = {}) =>
  stack.call('POST', path, { token, body: { ...body, ...more }, headers });
const start = (token: string, more: object = {}, headers: Record<string, string> = {}) =>
  post('/v1/bindings/connect', token, more, headers);
const rows = () => stack.database.db.tenant(tenant_id, (tx) => tx.binding.findMany());
const OWN_ACCOUNT = { family: 'user', kind: 'oauth2_client_credentials' };

describe('a service', () => {
  it('begins nothing without a grant for the pack', async () => {
    await grant(service.id, 'pack.connect', 'other');
    await grant(service.id, 'binding.manage', 'other');
    for (const more of [{}, { shared: true }]) {
      expect(await start(service.key, more)).toMatchObject({ status: 403, body: { code: 'missing_capability' } });
    }
  });

  it('connects what is its own by pack.connect, and runs with it', async () => {
    await grant(service.id, 'pack.connect');
    expect((await start(service.key, { shared: true })).status).toBe(403);
    const ended = await connect(stack, service.key, body);
    expect(ended.status).toBe(200);
    expect(await rows()).toMatchObject([{ principal_id: service.id, kind: 'oauth2_code' }]);
    const told = await stack.call('GET', `/v1/connections/${ended.connection_id}`, { token: service.key });
    expect(told.body).toMatchObject({ status: 'connected' });
    await grant(service.id, 'verb.exec.read');
    const ran = await stack.call<ResultEnvelope>('POST', '/v1/exec', {
      token: service.key,
      body: { ...body, verb_key: 'sum', args: {} },
    });
    expect(ran.body).toMatchObject({ ok: true, result: { bearer: true } });
    const revoked = await stack.call('DELETE', `/v1/bindings/${String((await rows())[0]?.id)}`, { token: service.key });
    expect(revoked.status).toBe(204);
  });

  it('connects what is shared, and the tenant’s own account, by binding.manage', async () => {
    await grant(service.id, 'binding.manage');
    expect((await start(service.key)).status).toBe(403);
    expect((await connect(stack, service.key, { ...body, shared: true })).status).toBe(200);
    const [row] = await rows();
    expect(row).toMatchObject({ principal_id: null, project_id: null, kind: 'oauth2_code' });
    await stack.call('DELETE', `/v1/bindings/${String(row?.id)}?forget=1`, { token: service.key });
    const { items } = (await stack.call<{ items: { id: string }[] }>('GET', '/v1/providers', { token: owner.token }))
      .body;
    await stack.call('PUT', `/v1/providers/${String(items[0]?.id)}`, { token: owner.token, body: { scopes: [] } });
    const made = await post('/v1/bindings', service.key, { ...OWN_ACCOUNT, shared: true });
    expect(made).toMatchObject({ status: 201, body: { kind: 'oauth2_client_credentials' } });
  });

  it.each([
    [
      'grant',
      () => stack.database.db.tenant(tenant_id, (tx) => tx.grant.deleteMany({ where: { principal_id: service.id } })),
    ],
    ['key', () => stack.call('DELETE', `/v1/api-keys/${service.key_id}`, { token: owner.token })],
  ])('keeps nothing where its %s ended while the browser was away', async (_what, end) => {
    await grant(service.id, 'pack.connect');
    const browser = new Browser();
    const { authorize_url } = await begin(stack, service.key, body);
    const page = await browser.open(authorize_url);
    const back = await browser.until(onwards(page), `${stack.urls[0]}/v1/bindings/callback`);
    await end();
    expect((await browser.open(back.href)).text).toContain('may not be connected now');
    expect(await rows()).toEqual([]);
  });

  it('that acts for a person uses that person’s, and connects none of its own', async () => {
    const { id } = await makeService(stack.database.db, tenant_id, { acts_for: owner.id });
    await grant(id, 'pack.connect');
    const { key } = await keyFor(stack, tenant_id, id);
    expect(await start(key)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });

  it('registers no OAuth client, whatever it was granted', async () => {
    await grant(service.id, 'tenant.manage', null);
    expect(await stack.call('GET', '/v1/providers', { token: service.key })).toMatchObject({
      status: 403,
      body: { code: 'human_only' },
    });
  });
});

it('an agent begins and sees none, whatever it was granted, nor does a person’s hand that is one', async () => {
  const agent = await makeAgent(stack.database.db, tenant_id, { acts_for: owner.id });
  for (const capability of ['pack.connect', 'binding.manage'] as const) await grant(agent.id, capability);
  const { key } = await keyFor(stack, tenant_id, agent.id);
  const { connection_id } = await begin(stack, owner.token, body);
  for (const [token, headers] of [
    [key, {}],
    [owner.token, { 'hcp-agent': '1' }],
    [service.key, { 'hcp-agent': '1' }],
  ] as const) {
    const answers = [
      await start(token, {}, headers),
      await start(token, { shared: true }, headers),
      await post('/v1/bindings', token, { ...OWN_ACCOUNT, shared: true }, headers),
      await stack.call('GET', `/v1/connections/${connection_id}`, { token, headers }),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ status: 403, body: { code: 'human_only' } });
  }
  expect(await rows()).toEqual([]);
});

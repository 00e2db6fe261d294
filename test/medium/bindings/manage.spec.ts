import { randomUUID } from 'node:crypto';
import { bindingPageSchema, bindingSchema } from '@hcp/contracts';
import { makeGrant, makeProject } from '@hcp/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Api } from '../api/auth-harness.js';
import type { Answer } from '../../support/http.js';
import { leakyPack } from '../../support/leaky.js';

/** Who may connect what (SPEC B1, A8), through the real API. */

let api: Api;
let pack: Buffer;
let tenant_id: string;
let owner: { id: string; token: string };
let member: { id: string; token: string };
let project_id: string;

beforeAll(async () => {
  api = await Api.start();
  pack = await leakyPack('leaky');
}, 120_000);
afterAll(() => api.stop());

beforeEach(async () => {
  tenant_id = await api.tenant();
  owner = await api.signedIn(tenant_id, 'owner');
  member = await api.signedIn(tenant_id, 'member');
  project_id = (await makeProject(api.database.db, tenant_id, [owner.id, member.id])).id;
  const type = { 'content-type': 'application/gzip' };
  await api.call('POST', '/v1/packs', { token: owner.token, raw: new Uint8Array(pack), headers: type });
  await api.call('PUT', '/v1/packs/leaky/activation', { token: owner.token, body: {} });
});

const body = (more: object = {}) => ({
  pack_id: 'leaky',
  family: 'user',
  kind: 'secret',
  fields: { token: randomUUID() },
  ...more,
});
const post = (token: string, more: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  api.call('POST', '/v1/bindings', { token, body: body(more), headers });
const list = async (token: string) =>
  bindingPageSchema.parse((await api.call('GET', '/v1/bindings', { token })).body).items;
const epoch = async (): Promise<bigint> =>
  (await api.database.db.tenant(tenant_id, (tx) => tx.tenant.findUniqueOrThrow({ where: { id: tenant_id } })))
    .settings_epoch;

describe('a binding of one’s own', () => {
  it('is stored, listed, rotated and revoked by its owner, each audited and each moving the epoch', async () => {
    const before = await epoch();
    const made = await post(member.token);
    expect(made.status).toBe(201);
    expect(bindingSchema.parse(made.body)).toMatchObject({
      ...{ pack_id: 'leaky', family: 'user', kind: 'secret', principal_id: member.id, project_id: null },
      ...{ fields: ['token'], version: 1, state: 'active', created_by: member.id, rotated_by: member.id },
    });
    const id = String(made.body.id);
    const again = await post(member.token);
    expect(again).toMatchObject({ status: 409, body: { code: 'conflict' } });
    const fields = { token: randomUUID() };
    const expires_at = '2099-01-01T00:00:00.000Z';
    const rotated = await api.call('POST', `/v1/bindings/${id}/rotate`, {
      token: member.token,
      body: { fields, expires_at },
    });
    expect(rotated).toMatchObject({ status: 200, body: { id, version: 2, expires_at, state: 'active' } });
    expect((await api.call('DELETE', `/v1/bindings/${id}`, { token: member.token })).status).toBe(204);
    expect((await api.call('DELETE', `/v1/bindings/${id}`, { token: member.token })).status).toBe(204);
    expect(await list(member.token)).toMatchObject([{ id, state: 'revoked' }]);
    const late = await api.call('POST', `/v1/bindings/${id}/rotate`, { token: member.token, body: { fields } });
    expect(late).toMatchObject({ status: 409 });
    const row = await api.database.db.tenant(tenant_id, (tx) => tx.binding.findFirstOrThrow({ where: { id } }));
    expect(row.secret_enc).toBeNull();
    const anew = await post(member.token);
    expect(anew.status).toBe(201);
    expect(await list(member.token)).toMatchObject([{ id: anew.body.id, state: 'active', version: 1 }]);
    const forgot = await api.call('DELETE', `/v1/bindings/${String(anew.body.id)}?forget=1`, { token: member.token });
    expect(forgot.status).toBe(204);
    expect(await list(member.token)).toEqual([]);
    const acts = (await api.audited(tenant_id)).filter(({ action }) => action.startsWith('binding.'));
    expect(acts.map(({ action }) => action)).toEqual([
      ...['binding.create', 'binding.rotate', 'binding.revoke', 'binding.create', 'binding.revoke', 'binding.forget'],
    ]);
    for (const act of acts) expect(act.principal_id).toBe(member.id);
    expect((await epoch()) - before).toBe(6n);
  });

  it('is nobody else’s to see or touch, an owner of the tenant included', async () => {
    const id = String((await post(member.token)).body.id);
    expect(await list(owner.token)).toEqual([]);
    expect((await api.call('GET', `/v1/bindings/${id}`, { token: owner.token })).status).toBe(404);
    expect((await api.call('GET', `/v1/bindings/${id}`, { token: member.token })).body).toMatchObject({ id });
    for (const [method, path] of [
      ['POST', `/v1/bindings/${id}/rotate`],
      ['DELETE', `/v1/bindings/${id}`],
    ] as const) {
      const send = method === 'POST' ? { body: { fields: { token: randomUUID() } } } : {};
      expect(await api.call(method, path, { token: owner.token, ...send })).toMatchObject({ status: 404 });
      const narrow = await api.key(tenant_id, member.id, { grants: [{ capability: 'verb.exec.read' }] });
      const answer = await api.call(method, path, { token: narrow.key, ...send });
      expect(answer).toMatchObject({ status: 403, body: { code: 'missing_capability' } });
    }
    expect(await list(member.token)).toMatchObject([{ id, state: 'active', version: 1 }]);
  });

  it('needs pack.connect for this very pack and project', async () => {
    const stranger = await api.signedIn(tenant_id);
    expect(await post(stranger.token)).toMatchObject({ status: 403, body: { code: 'missing_capability' } });
    await makeGrant(api.database.db, tenant_id, stranger.id, 'pack.connect', { pack_id: 'leaky', project_id });
    expect((await post(stranger.token)).status).toBe(403);
    expect((await post(stranger.token, { project_id })).status).toBe(201);
    expect(await post(stranger.token, { project_id: randomUUID() })).toMatchObject({ status: 404 });
  });
});

it('is listed among those to connect again when it ran out, and no more when it is rotated', async () => {
  const id = String((await post(member.token)).body.id);
  const stale = async () =>
    bindingPageSchema.parse((await api.call('GET', '/v1/bindings?stale=1', { token: member.token })).body).items;
  expect(await stale()).toEqual([]);
  const where = { tenant_id, id };
  await api.database.db.tenant(tenant_id, (tx) =>
    tx.binding.updateMany({ where, data: { expires_at: new Date(Date.now() - 1) } }),
  );
  expect(await stale()).toMatchObject([{ id, state: 'expired' }]);
  const fields = { token: randomUUID() };
  await api.call('POST', `/v1/bindings/${id}/rotate`, { token: member.token, body: { fields } });
  expect(await stale()).toEqual([]);
});

it('is told how it can be had by the pack', async () => {
  const { body } = await api.call('GET', '/v1/packs/leaky', { token: member.token });
  expect(body).toMatchObject({
    needs_binding: true,
    binding: {
      ...{ families: ['user'], provider: 'leaky.example', fields: ['token'] },
      uses: [
        { field: 'token', as: 'variable', name: 'LEAK_TOKEN' },
        { field: 'token', as: 'variable', name: 'LEAK_AUTH' },
      ],
      ways: [
        { kind: 'oauth2_code', ready: false },
        { kind: 'oauth2_client_credentials', ready: false },
        { kind: 'secret', ready: true },
        { kind: 'workload_token', ready: true },
      ],
    },
  });
});

describe('a shared binding', () => {
  it('needs binding.manage, in the tenant or in the project', async () => {
    expect(await post(member.token, { shared: true })).toMatchObject({
      status: 403,
      body: { code: 'missing_capability' },
    });
    expect((await post(owner.token, { shared: true })).status).toBe(201);
    expect((await post(owner.token, { shared: true, project_id })).status).toBe(201);
    expect(await list(owner.token)).toMatchObject([{ project_id: null }, { project_id }]);
    expect(await list(member.token)).toEqual([]);
    await makeGrant(api.database.db, tenant_id, member.id, 'binding.manage', { project_id });
    const seen = await list(member.token);
    expect(seen).toMatchObject([{ project_id, principal_id: null }]);
    expect((await api.call('DELETE', `/v1/bindings/${seen[0]?.id ?? ''}`, { token: member.token })).status).toBe(204);
  });

  it('is a service’s to manage where that was granted', async () => {
    const id = await api.principal(tenant_id, 'service');
    const { key } = await api.key(tenant_id, id);
    expect((await post(key, { shared: true })).status).toBe(403);
    await makeGrant(api.database.db, tenant_id, id, 'binding.manage');
    expect((await post(key, { shared: true })).status).toBe(201);
    expect((await post(key)).status).toBe(403);
    await makeGrant(api.database.db, tenant_id, id, 'pack.connect');
    expect((await post(key)).body).toMatchObject({ principal_id: id });
    const acting = await api.principal(tenant_id, 'service', { acts_for: owner.id });
    await makeGrant(api.database.db, tenant_id, acting, 'pack.connect');
    const acting_key = (await api.key(tenant_id, acting)).key;
    expect(await post(acting_key)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });
});

describe('agents', () => {
  it('are refused on every route, whatever they were granted', async () => {
    const agent = await api.principal(tenant_id, 'agent', { acts_for: owner.id });
    for (const capability of ['binding.manage', 'pack.connect'] as const) {
      await makeGrant(api.database.db, tenant_id, agent, capability);
    }
    const { key } = await api.key(tenant_id, agent);
    const id = String((await post(owner.token)).body.id);
    const marked = { 'hcp-agent': '1' };
    for (const [token, headers] of [
      [key, {}],
      [owner.token, marked],
    ] as const) {
      const answers = [
        await api.call('GET', '/v1/bindings', { token, headers }),
        await api.call('GET', `/v1/bindings/${id}`, { token, headers }),
        await post(token, {}, headers),
        await post(token, { shared: true }, headers),
        await api.call('POST', `/v1/bindings/${id}/rotate`, { token, headers, body: { fields: { token: 'another' } } }),
        await api.call('DELETE', `/v1/bindings/${id}`, { token, headers }),
      ];
      for (const answer of answers) expect(answer).toMatchObject({ status: 403, body: { code: 'human_only' } });
    }
    expect(await list(owner.token)).toMatchObject([{ id, version: 1, state: 'active' }]);
  });
});

describe('what is stored', () => {
  it.each([
    ['public', 400],
    ['local', 400],
    ['mock', 400],
    ['mothership', 403],
    ['else', 400],
  ])('is of a family that has a credential: %s is refused', async (family, status) => {
    expect(await post(owner.token, { family, shared: true })).toMatchObject({ status });
  });

  it.each<[string, object, string, RegExp]>([
    ['no field', { fields: {} }, '/fields/token', /missing/],
    ['another field', { fields: { token: 'secret-value', extra: 'secret-value' } }, '/fields/extra', /no field/],
    ['a line break', { fields: { token: 'secret\nvalue' } }, '/fields/token', /line break/],
    ['a carriage return', { fields: { token: 'secret\rvalue' } }, '/fields/token', /line break/],
    ['a NUL', { fields: { token: 'secret\0value' } }, '/fields/token', /NUL/],
    ['too short a secret', { fields: { token: 'val' } }, '/fields/token', /too short/],
    ['an end in the past', { expires_at: '2020-01-01T00:00:00Z' }, '/expires_at', /future/],
  ])('is refused with %s, by name and without the value', async (_what, more, path, why) => {
    const answer = await post(owner.token, more);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      code: 'invalid_request',
      errors: [{ path, message: expect.stringMatching(why) as string }],
    });
    expect(JSON.stringify(answer.body)).not.toContain('value');
    expect(await list(owner.token)).toEqual([]);
  });

  it('is the platform’s where its family is mothership, and then nobody’s own', async () => {
    const platform = await api.tenant({ platform: true });
    const operator = await api.signedIn(platform, 'owner');
    await makeGrant(api.database.db, platform, operator.id, 'platform.manage');
    const fields = { token: randomUUID() };
    const raw = new Uint8Array(await leakyPack('fleet', 'mothership'));
    const headers = { 'content-type': 'application/gzip' };
    expect((await api.call('POST', '/v1/packs', { token: operator.token, raw, headers })).status).toBe(201);
    await api.call('PUT', '/v1/packs/fleet/activation', { token: operator.token, body: {} });
    const mothership = { pack_id: 'fleet', family: 'mothership', fields };
    expect(await post(operator.token, mothership)).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/shared' }] },
    });
    const made = await post(operator.token, { ...mothership, shared: true });
    expect(made).toMatchObject({ status: 201, body: { family: 'mothership', principal_id: null } });
    expect(await post(operator.token, { ...mothership, family: 'user' })).toMatchObject({ status: 400 });
  });

  it('is for a pack that is there', async () => {
    expect(await post(owner.token, { pack_id: 'nothing' })).toMatchObject({ status: 404 });
    expect(await post(owner.token, { pack_id: 'hcp-cli' })).toMatchObject({ status: 400 });
  });

  it('is one for one scope, however many ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(owner.token)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    const id = answers.find((answer) => answer.status === 201)?.body.id;
    const rotations = await Promise.all(
      Array.from({ length: 4 }, () =>
        api.call('POST', `/v1/bindings/${String(id)}/rotate`, {
          token: owner.token,
          body: { fields: { token: randomUUID() } },
        }),
      ),
    );
    const won = rotations.filter((answer) => answer.status === 200).length;
    expect(await list(owner.token)).toMatchObject([{ version: 1 + won }]);
  });
});

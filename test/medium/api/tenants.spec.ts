import { randomUUID } from 'node:crypto';
import { makeGrant } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Api } from './auth-harness.js';

/** SPEC T3, T5: what operators do to tenants. */
let api: Api;
let platform: string;
let operator: Awaited<ReturnType<Api['signedIn']>>;
beforeAll(async () => {
  api = await Api.start(2);
  platform = await api.tenant({ platform: true });
  operator = await api.signedIn(platform, 'owner');
  await makeGrant(api.database.db, platform, operator.id, 'platform.manage');
});
afterAll(() => api.stop());

interface Tenant {
  id: string;
  slug: string;
  stopped_at: string | null;
  invitation: { link: string; created_by: null };
}
const slug = (): string => `t-${randomUUID().slice(0, 8)}`;
const create = (token: string, fields: object = {}) =>
  api.call<Tenant>('POST', '/v1/tenants', {
    token,
    body: { slug: slug(), name: 'Acme', owner_email: `o-${randomUUID()}@example.com`, ...fields },
  });
const post = (path: string, token = operator.token, body?: object) =>
  api.call<Tenant>('POST', path, { token, ...(body ? { body } : {}) });

describe('an operator', () => {
  it('makes a tenant, whose first owner comes by an invitation and owns it', async () => {
    const email = `o-${randomUUID()}@example.com`;
    const made = await create(operator.token, { slug: slug(), owner_email: email });
    expect(made).toMatchObject({ status: 201, body: { stopped_at: null, platform: false } });
    const password = 'the first owner of all';
    const token = made.body.invitation.link.split('#')[1];
    const accepted = await api.call('POST', '/v1/invitations/accept', { body: { token, name: 'Olga', password } });
    expect(accepted).toMatchObject({ status: 201, body: { tenant_id: made.body.id } });
    const signed = await api.call<{ access_token: string }>('POST', '/v1/auth/token', { body: { email, password } });
    const me = await api.call('GET', '/v1/me', { token: signed.body.access_token });
    expect(me.body).toMatchObject({ tenant: { id: made.body.id }, roles: ['owner'] });
    const again = await post(`/v1/tenants/${made.body.id}/owner-invitation`, operator.token, { email });
    expect(again.status).toBe(409);
    for (const tenant_id of [platform, made.body.id]) {
      expect((await api.audited(tenant_id)).map(({ action }) => action)).toContain('tenant.create');
    }
  });

  it('invites an owner anew while there is none', async () => {
    const made = await create(operator.token);
    const path = `/v1/tenants/${made.body.id}/owner-invitation`;
    expect((await post(path, operator.token, { email: 'new@example.com' })).status).toBe(201);
    expect(
      (await post(`/v1/tenants/${randomUUID()}/owner-invitation`, operator.token, { email: 'n@x.co' })).status,
    ).toBe(404);
  });

  it('lists and gets tenants, and nothing that they hold', async () => {
    const made = await create(operator.token);
    const seen: string[] = [];
    let cursor: string | null = '';
    do {
      const path: string = '/v1/tenants?limit=2'.concat(cursor ? `&cursor=${cursor}` : '');
      const page = await api.call<{ items: Tenant[]; next_cursor: string | null }>('GET', path, {
        token: operator.token,
      });
      seen.push(...page.body.items.map(({ id }) => id));
      cursor = page.body.next_cursor;
    } while (cursor);
    expect(seen).toContain(made.body.id);
    expect(new Set(seen).size).toBe(seen.length);
    const one = await api.call('GET', `/v1/tenants/${made.body.id}`, { token: operator.token });
    expect(one).toMatchObject({ status: 200, body: { id: made.body.id, slug: made.body.slug } });
    expect((await api.call('GET', `/v1/tenants/${randomUUID()}`, { token: operator.token })).status).toBe(404);
    expect((await create(operator.token, { slug: made.body.slug })).status).toBe(409);
  });

  it('stops a tenant and lets it go on, on the next call on every replica, in both logs', async () => {
    const tenant_id = await api.tenant();
    const owner = await api.signedIn(tenant_id, 'owner');
    const { key } = await api.key(tenant_id, await api.principal(tenant_id, 'service'));
    expect((await post(`/v1/tenants/${tenant_id}/stop`)).body.stopped_at).not.toBeNull();
    for (const token of [owner.token, key])
      expect((await api.call('GET', '/v1/me', { token, replica: 1 })).status).toBe(401);
    const body = { email: owner.email, password: owner.password };
    expect((await api.call('POST', '/v1/auth/token', { body })).status).toBe(401);
    expect((await post(`/v1/tenants/${tenant_id}/stop`)).status).toBe(200);
    expect((await post(`/v1/tenants/${tenant_id}/resume`)).body.stopped_at).toBeNull();
    for (const token of [owner.token, key])
      expect((await api.call('GET', '/v1/me', { token, replica: 1 })).status).toBe(200);
    const there = (await api.audited(tenant_id)).filter(({ action }) => action.startsWith('tenant.'));
    expect(there).toEqual([
      { action: 'tenant.stop', decision: 'allow', principal_id: operator.id },
      { action: 'tenant.resume', decision: 'allow', principal_id: operator.id },
    ]);
    expect((await api.audited(platform)).map(({ action }) => action)).toContain('tenant.stop');
    expect((await post(`/v1/tenants/${platform}/stop`)).status).toBe(409);
  });
});

describe('who is no operator', () => {
  it('does none of this, whatever the rows of their tenant say', async () => {
    const tenant_id = await api.tenant();
    const owner = await api.signedIn(tenant_id, 'owner');
    await makeGrant(api.database.db, tenant_id, owner.id, 'platform.manage');
    const plain = await api.signedIn(platform, 'owner');
    for (const { token } of [owner, plain]) {
      expect((await create(token)).status).toBe(403);
      expect((await api.call('GET', '/v1/tenants', { token })).status).toBe(403);
      expect((await api.call('GET', `/v1/tenants/${tenant_id}`, { token })).status).toBe(403);
      for (const act of ['stop', 'resume'])
        expect((await post(`/v1/tenants/${tenant_id}/${act}`, token)).status).toBe(403);
    }
    const service = await api.principal(platform, 'service');
    await makeGrant(api.database.db, platform, service, 'platform.manage');
    const { key } = await api.key(platform, service);
    expect(await post(`/v1/tenants/${tenant_id}/stop`, key)).toMatchObject({
      status: 403,
      body: { code: 'human_only' },
    });
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Api, type Tokens } from './auth-harness.js';

let api: Api;
beforeAll(async () => {
  api = await Api.start(2);
});
afterAll(() => api.stop());

const signIn = (body: object) => api.call<Tokens & Record<string, unknown>>('POST', '/v1/auth/token', { body });
const me = (token: string, replica = 0) => api.call('GET', '/v1/me', { token, replica });
const refresh = (refresh_token: string, replica = 0) =>
  api.call<Tokens & Record<string, unknown>>('POST', '/v1/auth/refresh', { body: { refresh_token }, replica });

describe('POST /v1/auth/token', () => {
  it('signs a person in, in any spelling of the address, and audits it', async () => {
    const tenant_id = await api.tenant();
    const ada = await api.person(tenant_id, 'member');
    const answer = await signIn({ email: ` ${ada.email.toUpperCase()} `, password: ada.password });
    expect(answer).toMatchObject({ status: 200, body: { tenant_id, token_type: 'Bearer', expires_in: 900 } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect((await me(answer.body.access_token)).body).toMatchObject({
      principal: { id: ada.id, kind: 'human' },
      tenant: { id: tenant_id },
      session: { interactive: true, project_id: null, packs: null },
      roles: ['member'],
    });
    expect(await api.audited(tenant_id)).toEqual([{ action: 'auth.login', decision: 'allow', principal_id: ada.id }]);
  });

  it('answers the same to a wrong password and an unknown person, and audits the failure', async () => {
    const tenant_id = await api.tenant();
    const ada = await api.person(tenant_id);
    const wrong = await signIn({ email: ada.email, password: 'wrong' });
    const unknown = await signIn({ email: 'nobody@example.com', password: 'wrong' });
    expect(wrong.status).toBe(401);
    expect(wrong.body).toEqual(unknown.body);
    expect(await api.audited(tenant_id)).toEqual([{ action: 'auth.login', decision: 'deny', principal_id: ada.id }]);
  });

  it('asks for the tenant where there are several, and takes only one of the person’s', async () => {
    const [a, b, foreign] = [await api.tenant(), await api.tenant(), await api.tenant()];
    const ada = await api.person(a);
    await api.person(b, undefined, ada);
    const { email, password } = ada;
    const asked = await signIn({ email, password });
    expect(asked).toMatchObject({ status: 409, body: { code: 'tenant_required' } });
    expect((asked.body as { tenants?: { id: string }[] }).tenants?.map(({ id }) => id).sort()).toEqual([a, b].sort());
    expect((await signIn({ email, password, tenant_id: b })).body).toMatchObject({ tenant_id: b });
    expect((await signIn({ email, password, tenant_id: foreign })).status).toBe(401);
    expect((await signIn({ email, password: 'wrong' })).body).not.toHaveProperty('tenants');
  });

  it('refuses disabled people and principals, stopped tenants, and who belongs nowhere', async () => {
    const { db } = api.database;
    const disabled_at = new Date();
    const tenant_id = await api.tenant();
    const [user, principal] = [await api.person(tenant_id), await api.person(tenant_id)];
    await db.global((tx) => tx.user.update({ where: { id: user.user_id }, data: { disabled_at } }));
    await db.tenant(tenant_id, (tx) => tx.principal.updateMany({ where: { id: principal.id }, data: { disabled_at } }));
    const stopped = await api.tenant({ stopped_at: new Date() });
    for (const person of [user, principal, await api.person(stopped)]) {
      expect((await signIn({ email: person.email, password: person.password })).status).toBe(401);
    }
  });

  it('signs operators in to the platform tenant', async () => {
    const platform = await api.tenant({ platform: true });
    const operator = await api.person(platform);
    expect((await signIn({ email: operator.email, password: operator.password })).body).toMatchObject({
      tenant_id: platform,
    });
  });

  it('answers 429 with Retry-After after too many failures, to the right password too', async () => {
    const ada = await api.person(await api.tenant());
    for (let i = 0; i < 10; i++) {
      expect((await signIn({ email: ada.email, password: `guess ${i}` })).status).toBe(401);
    }
    const limited = await signIn({ email: ada.email, password: ada.password });
    expect(limited).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it.each([
    ['{"email":"a@b.c","password":"x","password":"x"}', '/password'],
    ['{"email":"a@b.c","password":"x","role":"owner"}', '/role'],
    ['{"email":["a@b.c"],"password":"x"}', '/email'],
    ['{"email":"a@b.c","password":"x","tenant_id":"1"}', '/tenant_id'],
    ['[]', ''],
    ['', ''],
  ])('names the field that is wrong and shows no value: %s', async (raw, path) => {
    const answer = await api.call('POST', '/v1/auth/token', { raw });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect((answer.body as { errors: { path: string }[] }).errors.map((error) => error.path)).toContain(path);
    expect(JSON.stringify(answer.body)).not.toContain('a@b.c');
  });

  it('takes JSON only', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await api.call('POST', '/v1/auth/token', { raw: 'email=a&password=b', headers });
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    const { token } = await api.signedIn(await api.tenant(), 'owner');
    const archive = { raw: new Uint8Array(1000), headers: { 'content-type': 'application/gzip' } };
    expect((await api.call('POST', '/v1/grants', { ...archive, token })).status).toBe(415);
    expect((await api.call('POST', '/v1/grants', archive)).status).toBe(401);
    const large = await api.call('POST', '/v1/auth/token', { raw: `{"email":"${'x'.repeat(1024 * 1024)}"}` });
    expect(large).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
  });
});

describe('answers about bodies', () => {
  it('stay short however many fields are wrong', async () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`field-${String(i)}`, 1]));
    const answer = await api.call('POST', '/v1/auth/token', { body: many });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body).length).toBeLessThan(5000);
  });
});

describe('POST /v1/auth/refresh', () => {
  it('gives new tokens of the same session, on any replica', async () => {
    const tokens = await api.signIn(await api.person(await api.tenant()));
    const renewed = await refresh(tokens.refresh_token, 1);
    expect(renewed.status).toBe(200);
    expect(renewed.body.refresh_token).not.toBe(tokens.refresh_token);
    const ids = await Promise.all([tokens.access_token, renewed.body.access_token].map((token) => me(token)));
    expect(ids[0]?.body['session']).toEqual(ids[1]?.body['session']);
  });

  it('ends the session when one is used again, for the thief and the robbed', async () => {
    const tenant_id = await api.tenant();
    const tokens = await api.signIn(await api.person(tenant_id));
    const renewed = await refresh(tokens.refresh_token);
    expect((await refresh(tokens.refresh_token)).status).toBe(401);
    expect((await refresh(renewed.body.refresh_token)).status).toBe(401);
    expect((await me(renewed.body.access_token, 1)).status).toBe(401);
    expect((await api.audited(tenant_id)).map(({ action }) => action)).toContain('auth.refresh_reuse');
  });

  it('gives tokens to at most one of many who come at once', async () => {
    const tokens = await api.signIn(await api.person(await api.tenant()));
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => refresh(tokens.refresh_token, i % 2)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(answers.every(({ status }) => status === 200 || status === 401)).toBe(true);
  });

  it('refuses what is no refresh token, of another secret, or of a person who was disabled', async () => {
    const tenant_id = await api.tenant();
    const ada = await api.person(tenant_id);
    const tokens = await api.signIn(ada);
    const forged = `${tokens.refresh_token.slice(0, -43)}${'A'.repeat(43)}`;
    for (const token of ['x', forged, tokens.access_token, `hcpr_${'0'.repeat(32)}_${'A'.repeat(43)}`]) {
      expect((await refresh(token)).status).toBe(401);
    }
    expect((await me(tokens.access_token)).status).toBe(200);
    await api.database.db.tenant(tenant_id, (tx) =>
      tx.principal.updateMany({ where: { id: ada.id }, data: { disabled_at: new Date() } }),
    );
    expect((await refresh(tokens.refresh_token)).status).toBe(401);
  });

  it('stores hashes only', async () => {
    const tokens = await api.signIn(await api.person(await api.tenant()));
    const secret = tokens.refresh_token.split('_')[2] ?? '';
    const rows = await api.database.db.tenant(tokens.tenant_id, (tx) => tx.refreshToken.findMany());
    expect(rows).toHaveLength(1);
    expect(Buffer.from(rows[0]?.secret_hash ?? []).toString('latin1')).not.toContain(secret);
  });
});

describe('POST /v1/auth/logout', () => {
  it('ends the session, its refresh tokens and the sessions opened from it, on every replica', async () => {
    const tenant_id = await api.tenant();
    const tokens = await api.signIn(await api.person(tenant_id, 'owner'));
    const token = tokens.access_token;
    const opened = await api.call<{ id: string }>('POST', '/v1/sessions', { token, body: {} });
    const headers = { 'hcp-session': opened.body.id };
    expect((await api.call('GET', '/v1/me', { token, headers, replica: 1 })).status).toBe(200);
    expect((await api.call('POST', '/v1/auth/logout', { token })).status).toBe(204);
    expect((await me(token, 1)).status).toBe(401);
    expect((await api.call('GET', '/v1/me', { token, headers, replica: 1 })).status).toBe(401);
    expect((await refresh(tokens.refresh_token)).status).toBe(401);
    expect((await api.audited(tenant_id)).map(({ action }) => action)).toContain('auth.logout');
  });

  it('has nothing to end for a key', async () => {
    const tenant_id = await api.tenant();
    const { key } = await api.key(tenant_id, await api.principal(tenant_id, 'service'));
    expect((await api.call('POST', '/v1/auth/logout', { token: key })).status).toBe(409);
    expect((await me(key)).status).toBe(200);
  });
});

describe('ids in the path', () => {
  it.each(['..%2f', '%2e%2e', '%00', '1', `${randomUUID()}'`])('that are none are refused: %s', async (id) => {
    const { token } = await api.signedIn(await api.tenant(), 'owner');
    expect([400, 404]).toContain((await api.call('GET', `/v1/projects/${id}`, { token })).status);
  });
});

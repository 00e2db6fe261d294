import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, pkce, postForm, type Tokens } from '../../support/oauth-browser.js';
import { Api, ISSUER, type Person } from './auth-harness.js';

/** SPEC I2, T2, T5: tokens of MCP clients, over two replicas. */
let api: Api;
let one: string;
let two: string;
let tenant_id: string;
let person: Person;
let client: Client;

beforeAll(async () => {
  api = await Api.start(2);
  [one = '', two = ''] = api.urls;
  tenant_id = await api.tenant();
  person = await api.person(tenant_id, 'owner');
  client = await Client.register(one);
});
afterAll(() => api.stop());

const sid = (tokens: Pick<Tokens, 'access_token'>): string => String(decodeJwt(tokens.access_token)['sid']);
const audited = (action: string) =>
  api.database.db.tenant(tenant_id, (tx) => tx.auditEvent.findMany({ where: { action }, orderBy: { seq: 'asc' } }));
const session = (id: string) =>
  api.database.db.tenant(tenant_id, (tx) =>
    tx.session.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id, id } } }),
  );

describe('a code', () => {
  it('comes from one replica and is exchanged at another, for a session of the client', async () => {
    const { verifier, challenge } = pkce();
    const place = await client.consent(two, person, challenge);
    expect(`${place.origin}${place.pathname}`).toBe(client.redirect_uri);
    expect(Object.fromEntries(place.searchParams)).toMatchObject({ state: 'a state', iss: ISSUER });
    const { status, body, headers } = await client.exchange(one, place.searchParams.get('code') ?? '', verifier, {
      resource: `${ISSUER}/mcp`,
    });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'mcp' });
    const claims = decodeJwt(String(body['access_token']));
    expect(claims).toMatchObject({ iss: ISSUER, aud: `${ISSUER}/mcp`, client_id: client.id, tenant_id });
    expect(await session(String(claims['sid']))).toMatchObject({
      kind: 'default',
      interactive: false,
      client_id: client.id,
      client_name: 'A test',
    });
    for (const action of ['oauth.sign_in', 'oauth.consent', 'oauth.token']) {
      expect((await audited(action)).at(-1), action).toMatchObject({ decision: 'allow', principal_id: person.id });
    }
  });

  it('is good once: coming again it ends what came of it', async () => {
    const { verifier, challenge } = pkce();
    const code = (await client.consent(one, person, challenge)).searchParams.get('code') ?? '';
    const first = await client.exchange(one, code, verifier);
    expect(first.status).toBe(200);
    expect(await client.exchange(two, code, verifier)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await client.refresh(one, String(first.body['refresh_token']))).body).toMatchObject({
      error: 'invalid_grant',
    });
    expect(await audited('oauth.code_reuse')).toMatchObject([{ principal_kind: 'agent' }]);
  });

  it('goes to one of two who come at once', async () => {
    const { verifier, challenge } = pkce();
    const code = (await client.consent(one, person, challenge)).searchParams.get('code') ?? '';
    const answers = await Promise.all([client.exchange(one, code, verifier), client.exchange(two, code, verifier)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const won = answers.find(({ status }) => status === 200)?.body as unknown as Tokens;
    expect((await session(sid(won))).revoked_at).not.toBeNull();
  });

  it.each<[string, Record<string, string>]>([
    ['another verifier', { code_verifier: pkce().verifier }],
    ['no verifier', { code_verifier: '' }],
    ['the challenge as verifier', {}],
    ['another redirect URI', { redirect_uri: 'http://127.0.0.1:41999/other' }],
    ['another port than it was asked with', { redirect_uri: 'http://127.0.0.1:41998/callback' }],
  ])('is good for nobody after it came with %s', async (what, changes) => {
    const { verifier, challenge } = pkce();
    const code = (await client.consent(one, person, challenge)).searchParams.get('code') ?? '';
    const wrong = what.startsWith('the challenge') ? { code_verifier: challenge } : changes;
    for (const attempt of [wrong, {}]) {
      const answer = await client.exchange(one, code, verifier, attempt);
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    }
  });

  it('is another client’s to nobody', async () => {
    const { verifier, challenge } = pkce();
    const code = (await client.consent(one, person, challenge)).searchParams.get('code') ?? '';
    const other = await Client.register(one);
    expect((await other.exchange(one, code, verifier)).body).toMatchObject({ error: 'invalid_grant' });
  });

  it('is for /mcp alone', async () => {
    const { verifier, challenge } = pkce();
    const code = (await client.consent(one, person, challenge)).searchParams.get('code') ?? '';
    for (const resource of [`${ISSUER}/v1`, ISSUER, 'https://other.example/mcp', '']) {
      const answer = await client.exchange(one, code, verifier, { resource });
      expect(answer, resource).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
    }
  });

  it('is worth nothing once its person is disabled, or has a new password', async () => {
    const changes = {
      disabled: (id: string) =>
        api.database.db.tenant(tenant_id, (tx) =>
          tx.principal.updateMany({ where: { id }, data: { disabled_at: new Date() } }),
        ),
      reset: (_id: string, user_id: string) =>
        api.database.db.global((tx) =>
          tx.user.update({ where: { id: user_id }, data: { sessions_valid_from: new Date() } }),
        ),
    };
    for (const change of Object.values(changes)) {
      const other = await api.person(tenant_id, 'member');
      const { verifier, challenge } = pkce();
      const code = (await client.consent(one, other, challenge)).searchParams.get('code') ?? '';
      await change(other.id, other.user_id);
      expect((await client.exchange(one, code, verifier)).body).toMatchObject({ error: 'invalid_grant' });
    }
  });
});

describe('an access token', () => {
  it('is refused outside of /mcp', async () => {
    const { access_token: token } = await client.signIn(one, person);
    for (const [method, path] of [
      ['GET', '/v1/me'],
      ['GET', '/v1/sessions'],
      ['POST', '/v1/exec'],
      ['POST', '/v1/auth/logout'],
    ] as const) {
      const options = { token, ...(path === '/v1/exec' ? { body: { pack_id: 'a', verb_key: 'b' } } : {}) };
      expect((await api.call(method, path, options)).status, path).toBe(401);
    }
  });

  it('has its session in the person’s list, which ends it everywhere at once', async () => {
    const tokens = await client.signIn(one, person);
    const { access_token: token } = await api.signIn(person);
    const list = await api.call<{ items: { id: string }[] }>('GET', '/v1/sessions', { token });
    expect(list.body.items.find(({ id }) => id === sid(tokens))).toMatchObject({
      interactive: false,
      client: { id: client.id, name: 'A test' },
      current: false,
    });
    expect((await api.call('DELETE', `/v1/sessions/${sid(tokens)}`, { token, replica: 1 })).status).toBe(204);
    expect((await client.refresh(one, tokens.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
  });

  it('is of no session that a token of the person reaches by its name', async () => {
    const tokens = await client.signIn(one, person);
    const { access_token: token } = await api.signIn(person);
    const headers = { 'hcp-session': sid(tokens) };
    expect((await api.call('GET', '/v1/me', { token, headers })).status).toBe(401);
  });
});

describe('a refresh token', () => {
  it('is good once: coming again it ends the session', async () => {
    const first = await client.signIn(one, person);
    const second = await client.refresh(two, first.refresh_token);
    expect(second.body).toMatchObject({ token_type: 'Bearer', scope: 'mcp' });
    expect(decodeJwt(String(second.body['access_token']))).toMatchObject({ aud: `${ISSUER}/mcp`, sid: sid(first) });
    const again = await client.refresh(one, first.refresh_token);
    expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await client.refresh(one, String(second.body['refresh_token']))).status).toBe(400);
    expect((await session(sid(first))).revoked_at).not.toBeNull();
    expect((await audited('auth.refresh_reuse')).at(-1)).toMatchObject({ session_id: sid(first) });
  });

  it('is no refresh token of the API, whatever stands before it, nor the other way round', async () => {
    const tokens = await client.signIn(one, person);
    const own = await api.signIn(person);
    for (const refresh_token of [tokens.refresh_token, tokens.refresh_token.replace('hcpo_', 'hcpr_')]) {
      expect((await api.call('POST', '/v1/auth/refresh', { body: { refresh_token } })).status).toBe(401);
    }
    for (const token of [own.refresh_token, own.refresh_token.replace('hcpr_', 'hcpo_')]) {
      expect((await client.refresh(one, token)).status).toBe(400);
    }
    // Neither attempt used one up.
    expect((await client.refresh(one, tokens.refresh_token)).status).toBe(200);
    expect((await api.call('POST', '/v1/auth/refresh', { body: { refresh_token: own.refresh_token } })).status).toBe(
      200,
    );
  });

  it('is another client’s to nobody, for another resource to nobody', async () => {
    const tokens = await client.signIn(one, person);
    const other = await Client.register(one);
    expect((await other.refresh(one, tokens.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
    const elsewhere = await client.refresh(one, tokens.refresh_token, { resource: `${ISSUER}/v1` });
    expect(elsewhere.body).toMatchObject({ error: 'invalid_target' });
    expect((await client.refresh(one, tokens.refresh_token)).status).toBe(200);
  });

  it('is worth nothing once its person is disabled', async () => {
    const other = await api.person(tenant_id, 'member');
    const tokens = await client.signIn(one, other);
    await api.database.db.tenant(tenant_id, (tx) =>
      tx.principal.updateMany({ where: { id: other.id }, data: { disabled_at: new Date() } }),
    );
    expect((await client.refresh(two, tokens.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
  });
});

describe('revocation', () => {
  const revoke = (form: Record<string, string>) => postForm(`${two}/oauth/revoke`, { client_id: client.id, ...form });

  it('ends the session of either token', async () => {
    for (const which of ['refresh_token', 'access_token'] as const) {
      const tokens = await client.signIn(one, person);
      expect((await revoke({ token: tokens[which] })).status).toBe(200);
      expect((await session(sid(tokens))).revoked_at, which).not.toBeNull();
      expect((await client.refresh(one, tokens.refresh_token)).status).toBe(400);
      expect((await audited('oauth.revoke')).at(-1)).toMatchObject({ session_id: sid(tokens) });
    }
  });

  it('tells nothing of a token that is not good, another client’s or a person’s own', async () => {
    const tokens = await client.signIn(one, person);
    const own = await api.signIn(person);
    const other = await Client.register(one);
    const { refresh_token } = tokens;
    const forms: Record<string, string>[] = [
      { token: 'x' },
      { token: `hcpo_${'0'.repeat(32)}_${'A'.repeat(43)}` },
      { token: refresh_token.slice(0, -43) + 'A'.repeat(43) },
      { token: refresh_token, client_id: other.id },
      { token: tokens.access_token, client_id: other.id },
      { token: own.access_token },
      { token: own.refresh_token.replace('hcpr_', 'hcpo_') },
    ];
    for (const form of forms) {
      expect(await revoke(form)).toMatchObject({ status: 200, body: {} });
    }
    expect((await session(sid(tokens))).revoked_at).toBeNull();
    expect((await session(sid(own))).revoked_at).toBeNull();
    expect((await client.refresh(one, refresh_token)).status).toBe(200);
  });
});

describe('the token endpoint', () => {
  it('refuses what is no grant, in the words of RFC 6749', async () => {
    const id = client.id;
    for (const [form, status, error] of [
      [{}, 401, 'invalid_client'],
      [{ client_id: randomUUID(), grant_type: 'refresh_token' }, 401, 'invalid_client'],
      [{ client_id: id, client_secret: 'x', grant_type: 'refresh_token' }, 401, 'invalid_client'],
      [{ client_id: id }, 400, 'unsupported_grant_type'],
      [{ client_id: id, grant_type: 'password', username: 'a', password: 'b' }, 400, 'unsupported_grant_type'],
      [{ client_id: id, grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
      [{ client_id: id, grant_type: 'authorization_code', code: 'x' }, 400, 'invalid_grant'],
      [{ client_id: id, grant_type: 'refresh_token', refresh_token: 'x' }, 400, 'invalid_grant'],
    ] as const) {
      const answer = await postForm(`${one}/oauth/token`, form);
      expect(answer, JSON.stringify(form)).toMatchObject({ status, body: { error } });
    }
  });

  it('takes a form of once each field, and nothing else', async () => {
    const send = (body: string, type: string) =>
      fetch(`${one}/oauth/token`, { method: 'POST', body, headers: { 'content-type': type } });
    const form = 'application/x-www-form-urlencoded';
    for (const [body, type, status] of [
      [`client_id=${client.id}&client_id=${client.id}`, form, 400],
      [JSON.stringify({ client_id: client.id }), 'application/json', 415],
      [`a=${'a'.repeat(70_000)}`, form, 413],
    ] as const) {
      const answer = await send(body, type);
      expect(answer.status).toBe(status);
      expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
    }
  });
});

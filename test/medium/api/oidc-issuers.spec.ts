import { createHmac, randomUUID } from 'node:crypto';
import { exportSPKI, importJWK, type CryptoKey } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IdentityProvider, signingPair } from '../../support/oidc.js';
import { Api } from './auth-harness.js';

/** SPEC T5, CASES 10: tokens of a real identity provider, on two replicas. */
let api: Api;
let idp: IdentityProvider;
beforeAll(async () => {
  idp = await IdentityProvider.start();
  api = await Api.start(2, { HCP_EGRESS_ALLOW_PRIVATE: '127.0.0.1' });
});
afterAll(async () => {
  await api.stop();
  await idp.stop();
});

type Owner = Awaited<ReturnType<Api['signedIn']>>;
interface Registered {
  readonly tenant_id: string;
  readonly owner: Owner;
  readonly id: string;
  readonly audience: string;
}

/** A tenant whose owner registered the provider. */
async function registered(settings: Record<string, unknown> = {}, by = idp): Promise<Registered> {
  const tenant_id = await api.tenant();
  const owner = await api.signedIn(tenant_id, 'owner');
  const body = { issuer: by.issuer, jit: true, jit_role: 'auditor', ...settings };
  const answer = await api.call<{ id: string; audience: string }>('POST', '/v1/oidc-issuers', {
    token: owner.token,
    body,
  });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return { tenant_id, owner, id: answer.body.id, audience: answer.body.audience };
}

interface Me {
  principal: { id: string; kind: string; name: string };
  tenant: { id: string };
  session: { id: string; interactive: boolean; expires_at: string };
  roles: string[];
  code?: string;
}
const me = (token: string, options: { replica?: number; headers?: Record<string, string> } = {}) =>
  api.call<Me>('GET', '/v1/me', { token, ...options });
const status = async (token: string, replica = 0): Promise<number> => (await me(token, { replica })).status;
const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
const soon = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

describe('a token of a registered identity provider', () => {
  it('that its own token endpoint gave is taken, and makes its subject a principal once', async () => {
    const { tenant_id, owner, audience } = await registered({ kind: 'service' });
    const token = await idp.clientToken(audience);
    const first = await me(token);
    expect(first).toMatchObject({
      status: 200,
      body: { principal: { kind: 'service', name: 'batch' }, tenant: { id: tenant_id }, roles: ['auditor'] },
    });
    expect(first.body.session.interactive).toBe(false);
    const again = await me(token, { replica: 1 });
    expect(again.body.principal.id).toBe(first.body.principal.id);
    expect(again.body.session.id).toBe(first.body.session.id);
    const next = await me(await idp.clientToken(audience));
    expect(next.body.principal.id).toBe(first.body.principal.id);
    expect(next.body.session.id).not.toBe(first.body.session.id);
    expect((await api.call('GET', '/v1/audit', { token })).status).toBe(200);
    expect((await api.call('GET', '/v1/members', { token })).body.code).toBe('human_only');
    expect(
      (await api.call('GET', `/v1/members/${first.body.principal.id}`, { token: owner.token })).body,
    ).toMatchObject({
      kind: 'service',
      roles: [{ role: 'auditor' }],
    });
    const actions = (await api.audited(tenant_id)).map(({ action }) => action);
    expect(actions.filter((action) => action === 'principal.create')).toHaveLength(1);
    expect(actions).toContain('oidc_issuer.create');
  });

  it.each(['RS256', 'ES256', 'EdDSA'] as const)('is taken signed with %s', async (alg) => {
    const { audience } = await registered();
    const pair = idp.pairs.find((one) => one.alg === alg);
    expect(await status(await idp.sign({ aud: audience, sub: 'ada' }, {}, pair))).toBe(200);
    expect(await status(await idp.sign({ aud: ['else', audience], sub: 'ada' }, { typ: 'at+jwt' }, pair))).toBe(200);
  });

  it('makes one principal and one session of many first calls at once, on both replicas', async () => {
    const { tenant_id, audience } = await registered();
    const token = await idp.sign({ aud: audience, sub: 'ada' });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => me(token, { replica: index % 2 })));
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.session.id)).size).toBe(1);
    const people = await api.database.db.tenant(tenant_id, (tx) => tx.externalIdentity.count());
    expect(people).toBe(1);
  });

  it('ends a session by 8 hours or the token’s end, whichever comes first', async () => {
    const { audience } = await registered();
    const short = await me(await idp.sign({ aud: audience, sub: 'ada', exp: soon(300) }));
    expect(Date.parse(short.body.session.expires_at)).toBeLessThanOrEqual(soon(300) * 1000);
    const long = await me(await idp.sign({ aud: audience, sub: 'ada', exp: soon(23 * 3600) }));
    expect(Date.parse(long.body.session.expires_at)).toBeLessThanOrEqual(Date.now() + 8 * 3600_000);
  });

  it('is refused when anything about it is wrong', async () => {
    const a = await registered();
    const b = await registered();
    const other = await IdentityProvider.start(['RS256']);
    const good = { aud: a.audience, sub: 'ada' };
    const stranger = await signingPair('RS256', 'RS256-1');
    const bad: Record<string, Promise<string>> = {
      'another audience': idp.sign({ ...good, aud: 'urn:someone-else' }),
      'no audience': idp.sign({ ...good, aud: undefined }),
      'the audiences of two tenants': idp.sign({ ...good, aud: [a.audience, b.audience] }),
      'an issuer that nobody registered': other.sign(good),
      'the name of an issuer, signed by another': other.sign({ ...good, iss: idp.issuer }),
      'the issuer with a slash': idp.sign({ ...good, iss: `${idp.issuer}/` }),
      expired: idp.sign({ ...good, iat: soon(-700), exp: soon(-60) }),
      'no end': idp.sign({ ...good, exp: undefined }),
      'no beginning': idp.sign({ ...good, iat: undefined }),
      'made in the future': idp.sign({ ...good, iat: soon(120), exp: soon(600) }),
      'not good yet': idp.sign({ ...good, nbf: soon(120) }),
      'too long a life': idp.sign({ ...good, exp: soon(25 * 3600) }),
      'no subject': idp.sign(good.sub === 'ada' ? { aud: a.audience } : {}),
      'an empty subject': idp.sign({ ...good, sub: '' }),
      'a subject with controls': idp.sign({ ...good, sub: 'a\u0000b' }),
      'a logout token': idp.sign({ ...good, events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }),
      'a type of another purpose': idp.sign(good, { typ: 'logout+jwt' }),
      'an unknown key': idp.sign(good, { kid: 'nothing' }),
      'no key id': idp.sign(good, { kid: undefined }),
      'a stranger’s key under its id': idp.sign(good, {}, stranger),
      'a stranger’s key, brought along': idp.sign(good, { jwk: stranger.public_jwk, kid: undefined }, stranger),
      'a key of another algorithm': idp.sign(good, { kid: 'ES256-1' }),
    };
    for (const [what, token] of Object.entries(bad)) expect([what, await status(await token)]).toEqual([what, 401]);
    expect(await status(await idp.sign({ ...good, nbf: soon(20), iat: soon(20) }))).toBe(200);
    await other.stop();
  });

  it('is refused signed by HMAC with the public key, or not at all', async () => {
    const { audience } = await registered();
    const claims = { iss: idp.issuer, aud: audience, sub: 'ada', iat: soon(0), exp: soon(600) };
    for (const { kid, alg, public_jwk } of idp.pairs) {
      const pem = await exportSPKI((await importJWK(public_jwk, alg)) as CryptoKey);
      for (const secret of [
        pem,
        ` ${pem}`,
        pem.trim(),
        JSON.stringify(public_jwk),
        public_jwk.x ?? public_jwk.n ?? '',
      ]) {
        for (const hmac of ['HS256', 'HS512']) {
          const body = `${encode({ alg: hmac, kid, typ: 'JWT' })}.${encode(claims)}`;
          const mac = createHmac(`sha${hmac.slice(2)}`, secret)
            .update(body)
            .digest('base64url');
          expect(await status(`${body}.${mac}`)).toBe(401);
        }
      }
      for (const none of ['none', 'None', ''])
        expect(await status(`${encode({ alg: none, kid })}.${encode(claims)}.`)).toBe(401);
    }
  });

  it('is refused with an algorithm that its registration leaves out', async () => {
    const { audience } = await registered({ algorithms: ['ES256'] });
    expect(await status(await idp.sign({ aud: audience, sub: 'ada' }))).toBe(401);
    expect(await status(await idp.sign({ aud: audience, sub: 'ada' }, {}, idp.pairs[1]))).toBe(200);
  });

  it('of one tenant’s audience never reaches another tenant, though the subject is the same', async () => {
    const [a, b] = [await registered(), await registered()];
    const in_a = await me(await idp.sign({ aud: a.audience, sub: 'ada' }));
    const in_b = await me(await idp.sign({ aud: b.audience, sub: 'ada' }));
    expect([in_a.body.tenant.id, in_b.body.tenant.id]).toEqual([a.tenant_id, b.tenant_id]);
    expect(in_a.body.principal.id).not.toBe(in_b.body.principal.id);
    const session = in_b.body.session.id;
    const token = await idp.sign({ aud: a.audience, sub: 'ada' });
    expect((await me(token, { headers: { 'hcp-session': session } })).status).toBe(401);
  });

  it('of an unknown subject is refused where principals are not made by themselves', async () => {
    const { owner, id, audience } = await registered({ jit: false, jit_role: null });
    expect(await status(await idp.sign({ aud: audience, sub: 'ada' }))).toBe(401);
    const link = (body: object) => api.call('POST', `/v1/oidc-issuers/${id}/identities`, { token: owner.token, body });
    expect((await link({ subject: 'ada' })).status).toBe(204);
    expect((await link({ subject: 'ada' })).status).toBe(409);
    const found = await me(await idp.sign({ aud: audience, sub: 'ada' }));
    expect(found).toMatchObject({
      status: 200,
      body: { principal: { id: owner.id }, session: { interactive: false } },
    });
    expect(await status(await idp.sign({ aud: audience, sub: 'bob' }))).toBe(401);
  });

  it('never becomes a person who has the same email address', async () => {
    const { owner, audience } = await registered({ email_claim: 'email' });
    const found = await me(await idp.sign({ aud: audience, sub: 'eve', email: owner.email, email_verified: true }));
    expect(found.status).toBe(200);
    expect(found.body.principal.id).not.toBe(owner.id);
    expect(found.body.roles).toEqual(['auditor']);
  });
});

describe('the session of an external token', () => {
  it('can be narrowed by HCP-Session, which is good with that token alone', async () => {
    const { audience } = await registered();
    const token = await idp.sign({ aud: audience, sub: 'ada' });
    const opened = await api.call<{ id: string; interactive: boolean }>('POST', '/v1/sessions', {
      token,
      body: { packs: [] },
    });
    expect(opened).toMatchObject({ status: 201, body: { interactive: false } });
    const headers = { 'hcp-session': opened.body.id };
    expect((await me(token, { headers, replica: 1 })).body.session.id).toBe(opened.body.id);
    expect((await me(await idp.sign({ aud: audience, sub: 'ada' }), { headers })).status).toBe(401);
    expect((await me(await idp.sign({ aud: audience, sub: 'bob' }), { headers })).status).toBe(401);
  });

  it('once revoked or signed out ends its token on both replicas, however the signature is spelt', async () => {
    const { audience } = await registered();
    const pair = idp.pairs[1];
    const token = await idp.sign({ aud: audience, sub: 'ada' }, {}, pair);
    const { body } = await me(token);
    expect((await api.call('DELETE', `/v1/sessions/${body.session.id}`, { token })).status).toBe(204);
    expect([await status(token), await status(token, 1)]).toEqual([401, 401]);
    expect(await status(negated(token))).toBe(401);
    const second = await idp.sign({ aud: audience, sub: 'ada' });
    expect((await api.call('POST', '/v1/auth/logout', { token: second })).status).toBe(204);
    expect(await status(second, 1)).toBe(401);
  });

  it('is taken with a negated ES256 signature before that (so that the refusal above means something)', async () => {
    const { audience } = await registered();
    const token = await idp.sign({ aud: audience, sub: 'ada' }, {}, idp.pairs[1]);
    const [one, other] = [await me(token), await me(negated(token))];
    expect([one.status, other.status, other.body.session.id]).toEqual([200, 200, one.body.session.id]);
  });

  it('ends when its principal is disabled, on the next call', async () => {
    const { owner, audience } = await registered();
    const token = await idp.sign({ aud: audience, sub: 'ada' });
    const { id } = (await me(token)).body.principal;
    expect((await api.call('POST', `/v1/members/${id}/disable`, { token: owner.token })).status).toBe(204);
    expect(await status(token, 1)).toBe(401);
    expect(await status(await idp.sign({ aud: audience, sub: 'ada' }))).toBe(401);
    expect((await api.call('POST', `/v1/members/${id}/enable`, { token: owner.token })).status).toBe(204);
    expect(await status(token, 1)).toBe(200);
  });

  it('is interactive only where an owner who sits there vouches for it, and no longer when they take it back', async () => {
    const { tenant_id, owner, id, audience } = await registered();
    const put = (token: string, body: object) => api.call('PUT', `/v1/oidc-issuers/${id}`, { token, body });
    const lesser = await api.signedIn(tenant_id, 'admin');
    const grant = { principal_id: lesser.id, capability: 'tenant.manage' };
    await api.call('POST', '/v1/grants', { token: owner.token, body: grant });
    const key = (await api.key(tenant_id, owner.id)).key;
    expect((await put(lesser.token, { interactive: true })).status).toBe(403);
    expect((await put(key, { interactive: true })).status).toBe(403);
    expect((await put(owner.token, { interactive: true })).status).toBe(200);
    const token = await idp.sign({ aud: audience, sub: 'ada' });
    expect((await me(token)).body.session.interactive).toBe(true);
    expect((await put(lesser.token, { interactive: false })).status).toBe(200);
    expect((await me(token, { replica: 1 })).body.session.interactive).toBe(false);
  });
});

describe('the registration of an identity provider', () => {
  it('once removed refuses its tokens on the next call on both replicas, also when it is made anew without them', async () => {
    const { owner, id, audience } = await registered();
    const token = await idp.sign({ aud: audience, sub: 'ada' });
    expect([await status(token), await status(token, 1)]).toEqual([200, 200]);
    expect((await api.call('DELETE', `/v1/oidc-issuers/${id}`, { token: owner.token })).status).toBe(204);
    expect([await status(token), await status(token, 1)]).toEqual([401, 401]);
    expect((await api.call('GET', `/v1/oidc-issuers/${id}`, { token: owner.token })).status).toBe(404);
    const body = { issuer: idp.issuer, audience };
    expect((await api.call('POST', '/v1/oidc-issuers', { token: owner.token, body })).status).toBe(201);
    expect(await status(token)).toBe(401);
  });

  it('is one tenant’s alone, for a pair of issuer and audience', async () => {
    const audience = `client-${randomUUID()}`;
    const a = await registered({ audience });
    const b = await api.signedIn(await api.tenant(), 'owner');
    const create = (body: object) =>
      api.call('POST', '/v1/oidc-issuers', { token: b.token, body: { issuer: idp.issuer, ...body } });
    const refused = await create({ audience });
    expect(refused.status).toBe(409);
    for (const secret of [a.tenant_id, a.id, a.owner.id]) expect(JSON.stringify(refused.body)).not.toContain(secret);
    // An audience that names a tenant is that tenant's, registered or not: nobody takes it before.
    expect((await create({ audience: `urn:hcp:tenant:${a.tenant_id}` })).status).toBe(400);
    expect((await create({ audience: `urn:hcp:tenant:${randomUUID()}` })).status).toBe(400);
    expect((await create({ audience: `URN:hcp:tenant:${a.tenant_id}` })).status).toBe(400);
    expect((await create({})).status).toBe(201);
    expect((await create({})).status).toBe(409);
    expect((await me(await idp.sign({ aud: audience, sub: 'ada' }))).body.tenant.id).toBe(a.tenant_id);
  });

  it('gives nobody more than who registers it holds (SPEC G5)', async () => {
    const { tenant_id, owner, id } = await registered({ jit: false, jit_role: null });
    const manager = await api.signedIn(tenant_id, 'auditor');
    const grant = (capability: string) =>
      api.call('POST', '/v1/grants', { token: owner.token, body: { principal_id: manager.id, capability } });
    await grant('tenant.manage');
    const put = (body: object) => api.call('PUT', `/v1/oidc-issuers/${id}`, { token: manager.token, body });
    expect((await put({ jit: true })).status).toBe(403);
    await grant('access.manage');
    expect((await put({ jit: true })).status).toBe(200);
    expect((await put({ jit_role: 'owner' })).status).toBe(403);
    expect((await put({ jit_role: 'member' })).status).toBe(403);
    expect((await put({ jit_role: 'auditor' })).status).toBe(200);
    expect((await put({ jit_role: 'nothing' })).status).toBe(400);
    const service = await api.principal(tenant_id, 'service');
    const link = (body: object) =>
      api.call('POST', `/v1/oidc-issuers/${id}/identities`, { token: manager.token, body });
    expect((await link({ subject: 'x', principal_id: owner.id })).status).toBe(403);
    expect((await link({ subject: 'x', principal_id: service })).status).toBe(400);
    expect((await link({ subject: 'x', principal_id: randomUUID() })).status).toBe(404);
    const key = (await api.key(tenant_id, owner.id, { grants: [{ capability: 'tenant.manage' }] })).key;
    const by_key = await api.call('POST', `/v1/oidc-issuers/${id}/identities`, { token: key, body: { subject: 'x' } });
    expect(by_key.status).toBe(403);
  });

  it('takes only issuers that answer, and never this API or a private host that no operator allowed', async () => {
    const { token } = await api.signedIn(await api.tenant(), 'owner');
    const create = async (issuer: string) =>
      (await api.call('POST', '/v1/oidc-issuers', { token, body: { issuer } })).status;
    expect(await create('http://127.0.0.1:3000')).toBe(400);
    expect(await create('http://127.0.0.1:9')).toBe(400);
    expect(await create(`${idp.issuer}/elsewhere`)).toBe(400);
    expect(await create(`${idp.issuer}/`)).toBe(400);
    const before = idp.key_requests;
    const port = new URL(idp.issuer).port;
    for (const host of ['localhost', '127.0.0.2', '[::1]', '169.254.169.254', '2130706433', '0x7f.1']) {
      expect(await create(`http://${host}:${port}`)).toBe(400);
    }
    for (const text of ['ftp://x.example', 'https://user@x.example', 'https://x.example?a=1', 'x']) {
      expect(await create(text)).toBe(400);
    }
    expect(idp.key_requests).toBe(before);
  });
});

describe('an identity provider', () => {
  it('that rotates its keys is believed with the new ones and no longer with others', async () => {
    const own = await IdentityProvider.start(['ES256']);
    const { audience } = await registered({}, own);
    const [old] = own.pairs;
    const token = await own.sign({ aud: audience, sub: 'ada' });
    expect(await status(token)).toBe(200);
    await own.stop();
    const fresh = await signingPair('ES256', 'ES256-2');
    await own.listen([fresh]);
    // The other replica has asked for no keys yet, so it knows the new ones alone.
    expect(await status(await own.sign({ aud: audience, sub: 'ada' }), 1)).toBe(200);
    expect(await status(await own.sign({ aud: audience, sub: 'ada' }, {}, old), 1)).toBe(401);
    await own.stop();
  });

  it('is asked for its keys a few times, however many tokens with unknown keys come', async () => {
    const own = await IdentityProvider.start(['ES256']);
    const { audience } = await registered({}, own);
    const before = own.key_requests;
    for (let i = 0; i < 20; i++) {
      expect(await status(await own.sign({ aud: audience, sub: 'ada' }, { kid: `unknown-${String(i)}` }))).toBe(401);
    }
    expect(own.key_requests - before).toBeLessThan(5);
    await own.stop();
  });

  it('that is down and whose keys are not at hand lets nobody in', async () => {
    const own = await IdentityProvider.start(['ES256']);
    const { audience } = await registered({}, own);
    const token = await own.sign({ aud: audience, sub: 'ada' });
    await own.stop();
    expect(await status(token, 1)).toBe(401);
  });
});

/** The same ES256 signature in its other form: (r, n - s) is as good as (r, s). */
function negated(token: string): string {
  const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const [header = '', payload = '', signature = ''] = token.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const s = (n - BigInt(`0x${bytes.subarray(32).toString('hex')}`)).toString(16).padStart(64, '0');
  return `${header}.${payload}.${Buffer.concat([bytes.subarray(0, 32), Buffer.from(s, 'hex')]).toString('base64url')}`;
}

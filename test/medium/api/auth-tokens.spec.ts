import { createHmac, randomUUID } from 'node:crypto';
import { localKms } from '@hcp/kms';
import { AccessTokens, SigningKeys } from '@hcp/tenancy';
import { exportJWK, exportSPKI, generateKeyPair, importJWK, SignJWT, type CryptoKey, type JWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Api, ISSUER, type Person, type Tokens } from './auth-harness.js';

let api: Api;
let tenant_id: string;
let ada: Person;
let tokens: Tokens;
let jwk: JWK;
let session_id: string;

beforeAll(async () => {
  api = await Api.start();
  tenant_id = await api.tenant();
  ada = await api.person(tenant_id, 'owner');
  tokens = await api.signIn(ada);
  const jwks = await api.call<{ keys: JWK[] }>('GET', '/.well-known/jwks.json');
  jwk = jwks.body.keys[0] ?? {};
  session_id = (decode(tokens.access_token)[1] as { sid: string }).sid;
});
afterAll(() => api.stop());

const decode = (token: string): unknown[] =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as unknown);
const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
const status = async (token: string): Promise<number> => (await api.call('GET', '/v1/me', { token })).status;

/** The claims of a good token, changed; undefined takes one away. */
const claims = (changes: Record<string, unknown> = {}): Record<string, unknown> => {
  const now = Math.floor(Date.now() / 1000);
  const good = {
    iss: ISSUER,
    aud: 'hcp',
    sub: ada.id,
    tenant_id,
    sid: session_id,
    iat: now,
    nbf: now - 5,
    exp: now + 300,
  };
  return JSON.parse(JSON.stringify({ ...good, ...changes })) as Record<string, unknown>;
};

/** Our own signing key, as a thief of the database and the root key would have it. */
async function ownKey(): Promise<CryptoKey> {
  const row = await api.database.db.global((tx) => tx.signingKey.findFirstOrThrow());
  const wrapped = { bytes: Buffer.from(row.private_enc ?? []), root_key_id: row.root_key_id ?? '' };
  const text = (await localKms([api.root_key]).unwrap(wrapped, `signing_key/${row.kid}`)).toString();
  return (await importJWK(JSON.parse(text) as JWK, row.alg)) as CryptoKey;
}
const sign = (
  payload: Record<string, unknown>,
  key: CryptoKey,
  header: Record<string, unknown> = {},
): Promise<string> =>
  new SignJWT(payload).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: jwk.kid, ...header }).sign(key);

describe('access tokens', () => {
  it('are ES256 with the claims that say who and for what, for 15 minutes', () => {
    expect(tokens.expires_in).toBe(900);
    expect(decode(tokens.access_token)).toEqual([
      { alg: 'ES256', typ: 'at+jwt', kid: jwk.kid },
      expect.objectContaining({ iss: ISSUER, aud: 'hcp', sub: ada.id, tenant_id, sid: expect.any(String) as string }),
    ]);
  });

  it('are published without anything private', () => {
    expect(Object.keys(jwk).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });

  it('are taken when signed by our key with the right claims (so that the refusals below mean something)', async () => {
    expect(await status(await sign(claims(), await ownKey()))).toBe(200);
  });

  it.each<[string, Record<string, unknown>]>([
    ['another audience', { aud: 'other' }],
    ['no audience', { aud: undefined }],
    ['the audience of /mcp', { aud: `${ISSUER}/mcp` }],
    ['the audience of /mcp and a client', { aud: `${ISSUER}/mcp`, client_id: randomUUID() }],
    ['both audiences', { aud: ['hcp', `${ISSUER}/mcp`] }],
    ['a client', { client_id: randomUUID() }],
    ['another issuer', { iss: 'https://issuer.example' }],
    ['no issuer', { iss: undefined }],
    ['expired', { exp: Math.floor(Date.now() / 1000) - 1 }],
    ['no end', { exp: undefined }],
    ['not yet good', { nbf: Math.floor(Date.now() / 1000) + 600 }],
    ['no session', { sid: undefined }],
    ['a session that does not exist', { sid: randomUUID() }],
    ['a session that is no id', { sid: "' OR 1=1 --" }],
    ['no tenant', { tenant_id: undefined }],
    ['another tenant', { tenant_id: randomUUID() }],
    ['another principal', { sub: randomUUID() }],
    ['no principal', { sub: undefined }],
  ])('are refused with %s, even when signed by our key', async (_what, changes) => {
    expect(await status(await sign(claims(changes), await ownKey()))).toBe(401);
  });

  it.each<[number, string, Record<string, unknown>]>([
    [200, 'nothing else', {}],
    [401, 'another audience', { aud: `${ISSUER}/v1` }],
    [401, 'its own audience, without a client', { aud: `${ISSUER}/mcp` }],
    [401, 'its own audience, and a client whose session it is not', { aud: `${ISSUER}/mcp`, client_id: randomUUID() }],
    [401, 'a client, but the audience of the API', { client_id: randomUUID() }],
    [401, 'both audiences', { aud: ['hcp', `${ISSUER}/mcp`] }],
  ])('get %i at /mcp with %s', async (expected, _what, changes) => {
    const token = await sign(claims(changes), await ownKey());
    const headers = { accept: 'application/json, text/event-stream' };
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect((await api.call('POST', '/mcp', { token, headers, body })).status).toBe(expected);
  });

  it('are refused when they are of another type, such as a workload token of the same issuer', async () => {
    expect(await status(await sign(claims(), await ownKey(), { typ: 'JWT' }))).toBe(401);
  });

  it('are refused when signed by HMAC with the public key as the secret', async () => {
    const public_key = (await importJWK(jwk, 'ES256')) as CryptoKey;
    const pem = await exportSPKI(public_key);
    const secrets = [
      pem,
      pem.trim(),
      ` ${pem}`,
      `\n${pem}`,
      JSON.stringify(jwk),
      ` ${JSON.stringify(jwk)}`,
      jwk.x ?? '',
    ];
    for (const secret of secrets) {
      for (const alg of ['HS256', 'HS384', 'HS512']) {
        const body = `${encode({ alg, typ: 'at+jwt', kid: jwk.kid })}.${encode(claims())}`;
        const mac = createHmac(`sha${alg.slice(2)}`, secret)
          .update(body)
          .digest('base64url');
        expect(await status(`${body}.${mac}`)).toBe(401);
      }
    }
  });

  it.each(['none', 'None', 'NONE', '', null])('are refused with alg %s', async (alg) => {
    const body = `${encode({ alg, typ: 'at+jwt', kid: jwk.kid })}.${encode(claims())}`;
    const [header = '', payload = '', signature = ''] = tokens.access_token.split('.');
    expect(await status(`${body}.`)).toBe(401);
    expect(await status(`${body}.${signature}`)).toBe(401);
    expect(await status(`${encode({ alg, typ: 'at+jwt' })}.${payload}.`)).toBe(401);
    expect(await status(`${header}.${payload}.`)).toBe(401);
  });

  it('are refused when another key signed them, whatever key the header names or brings', async () => {
    const stranger = await generateKeyPair('ES256', { extractable: true });
    const public_jwk = await exportJWK(stranger.publicKey);
    const headers: Record<string, unknown>[] = [
      {},
      { kid: undefined },
      { kid: 'unknown' },
      { kid: '../../../../dev/null' },
      { kid: "x' UNION SELECT 1 --" },
      { kid: ['a'] },
      { jwk: public_jwk },
      { jwk: public_jwk, kid: undefined },
      { jku: `${ISSUER}/evil.json` },
      { x5u: 'https://issuer.example/cert' },
    ];
    for (const header of headers) expect(await status(await sign(claims(), stranger.privateKey, header))).toBe(401);
  });

  it('are refused when their algorithm is not their key’s, or one of its bytes changed', async () => {
    const rsa = await generateKeyPair('RS256');
    const ed = await generateKeyPair('EdDSA');
    expect(await status(await sign(claims(), rsa.privateKey, { alg: 'RS256' }))).toBe(401);
    expect(await status(await sign(claims(), ed.privateKey, { alg: 'EdDSA' }))).toBe(401);
    const [header = '', , signature = ''] = tokens.access_token.split('.');
    expect(await status(`${header}.${encode(claims({ exp: 4_000_000_000 }))}.${signature}`)).toBe(401);
    // A signature of zeros verified in some implementations (CVE-2022-21449).
    expect(await status(`${header}.${encode(claims())}.${Buffer.alloc(64).toString('base64url')}`)).toBe(401);
  });

  it('are taken when signed by an Ed25519 key of our own set', async () => {
    const ed = await generateKeyPair('EdDSA', { extractable: true });
    const kid = randomUUID();
    const public_jwk = { ...(await exportJWK(ed.publicKey)), kid, alg: 'EdDSA', use: 'sig' };
    await api.database.db.global((tx) =>
      tx.signingKey.create({
        data: {
          kid,
          alg: 'EdDSA',
          public_jwk: public_jwk,
          // Its private half is nobody's any more; what it signed still has time.
          retired_at: new Date(),
        },
      }),
    );
    const keys = new SigningKeys(api.database.db, localKms([api.root_key]));
    const token = await sign(claims(), ed.privateKey, { alg: 'EdDSA', kid });
    expect(await new AccessTokens(keys, ISSUER).verify(token)).toMatchObject({ principal_id: ada.id });
  });

  it.each(['', 'Bearer', 'Basic abc', 'Bearer  ', 'Bearer a b', 'Bearer ..', 'bearer undefined'])(
    'are refused in the header "%s"',
    async (authorization) => {
      const answer = await api.call('GET', '/v1/me', { headers: { authorization } });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(answer.body).toMatchObject({ code: 'unauthenticated', status: 401 });
    },
  );

  it('are not taken from query, body or cookie', async () => {
    const { access_token } = tokens;
    expect((await api.call('GET', `/v1/me?access_token=${access_token}`)).status).toBe(401);
    expect((await api.call('GET', '/v1/me', { headers: { cookie: `access_token=${access_token}` } })).status).toBe(401);
    expect((await api.call('POST', '/v1/sessions', { body: { access_token } })).status).toBe(401);
  });
});

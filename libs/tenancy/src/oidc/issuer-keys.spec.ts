import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { IssuerKeys } from './issuer-keys.js';

const ISSUER = 'https://id.example.com';
const JWKS = 'https://id.example.com/keys';

async function publicJwk(kid: string, about: Partial<JWK> = {}): Promise<JWK> {
  return { ...(await exportJWK((await generateKeyPair('ES256')).publicKey)), kid, ...about };
}

/** An issuer whose documents a test changes, and a clock that it moves. */
function issuer(documents: Record<string, unknown>) {
  let now = 1_000_000;
  const asked: string[] = [];
  const keys = new IssuerKeys(
    async (url) => {
      asked.push(url);
      return Promise.resolve(documents[url] ?? null);
    },
    () => new Date(now),
  );
  return { keys, asked, later: (ms: number) => (now += ms) };
}
const discovery = (fields: object = {}) => ({ issuer: ISSUER, jwks_uri: JWKS, ...fields });
const documents = (keys: unknown): Record<string, unknown> => ({
  [`${ISSUER}/.well-known/openid-configuration`]: discovery(),
  [JWKS]: { keys },
});

describe('IssuerKeys', () => {
  it('asks once for many tokens, and anew for a key it does not know, at most every five seconds', async () => {
    const docs = documents([await publicJwk('a')]);
    const { keys, asked, later } = issuer(docs);
    await Promise.all([1, 2, 3].map(() => keys.key(ISSUER, 'a', 'ES256')));
    expect(asked).toHaveLength(2);
    docs[JWKS] = { keys: [await publicJwk('b')] };
    expect(await keys.key(ISSUER, 'b', 'ES256')).toBeNull();
    expect(asked).toHaveLength(2);
    later(5_000);
    expect(await keys.key(ISSUER, 'b', 'ES256')).not.toBeNull();
    expect(await keys.key(ISSUER, 'a', 'ES256')).toBeNull();
    expect(asked).toHaveLength(4);
  });

  it('knows no key any more once those at hand are old and newer ones cannot be had', async () => {
    const docs = documents([await publicJwk('a')]);
    const { keys, later } = issuer(docs);
    expect(await keys.key(ISSUER, 'a', 'ES256')).not.toBeNull();
    const before = docs[JWKS];
    docs[JWKS] = null;
    later(299_000);
    expect(await keys.key(ISSUER, 'a', 'ES256')).not.toBeNull();
    later(1_000);
    expect(await keys.key(ISSUER, 'a', 'ES256')).toBeNull();
    docs[JWKS] = before;
    expect(await keys.key(ISSUER, 'a', 'ES256')).toBeNull();
    later(5_000);
    expect(await keys.key(ISSUER, 'a', 'ES256')).not.toBeNull();
  });

  it('believes no discovery document that names another issuer, and no answer of another shape', async () => {
    for (const wrong of [null, [], 'x', discovery({ issuer: `${ISSUER}/` }), discovery({ jwks_uri: 7 })]) {
      const docs = documents([await publicJwk('a')]);
      docs[`${ISSUER}/.well-known/openid-configuration`] = wrong;
      const { keys, asked } = issuer(docs);
      expect(await keys.key(ISSUER, 'a', 'ES256')).toBeNull();
      expect(asked).toHaveLength(1);
      expect(await keys.reachable(ISSUER)).toBe(false);
    }
    expect(await issuer(documents('x')).keys.key(ISSUER, 'a', 'ES256')).toBeNull();
    expect(await issuer(documents(Array.from({ length: 51 }, () => ({})))).keys.key(ISSUER, 'a', 'ES256')).toBeNull();
  });

  it('takes a key only for what it is', async () => {
    const good = await publicJwk('a');
    const oct = { kty: 'oct', k: 'c2VjcmV0', kid: 'a' };
    const wrong: unknown[][] = [
      [{ ...good, use: 'enc' }],
      [{ ...good, key_ops: ['sign'] }],
      [{ ...good, alg: 'RS256' }],
      [{ ...good, crv: 'P-384' }],
      [{ ...good, kid: undefined }],
      [oct],
      [good, await publicJwk('a')],
      [null, 7, 'x'],
    ];
    for (const keys of wrong) expect(await issuer(documents(keys)).keys.key(ISSUER, 'a', 'ES256')).toBeNull();
    expect(await issuer(documents([oct])).keys.key(ISSUER, 'a', 'HS256')).toBeNull();
    expect(await issuer(documents([good])).keys.key(ISSUER, 'a', 'RS256')).toBeNull();
    const with_more = [{ ...good, use: 'sig', alg: 'ES256', d: 'AAAA' }];
    expect((await issuer(documents(with_more)).keys.key(ISSUER, 'a', 'ES256'))?.type).toBe('public');
  });
});

import { decodeProtectedHeader, jwtVerify, SignJWT, type CryptoKey } from 'jose';
import { TOKEN_ALGORITHMS, type SigningKeys } from '../keys/signing-keys.js';

/** `aud` of every access token. */
export const TOKEN_AUDIENCE = 'hcp';
/** SPEC T5. */
export const ACCESS_TOKEN_SECONDS = 15 * 60;
/** RFC 9068; tokens of another purpose from the same issuer are never taken for access tokens. */
const TOKEN_TYPE = 'at+jwt';
/** Lets a token be used at once on a replica whose clock is a little behind. */
const CLOCK_SKEW_SECONDS = 5;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** What an access token says. Everything else about the caller is read from the database on every call. */
export interface AccessClaims {
  readonly principal_id: string;
  readonly tenant_id: string;
  readonly session_id: string;
}

export interface IssuedToken {
  readonly access_token: string;
  /** Seconds. */
  readonly expires_in: number;
}

/** What a verifier must insist on; algorithms are fixed, so that neither `none` nor HMAC is ever considered. */
export interface VerifyOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
}

/**
 * Verifies signature, algorithm, issuer, audience and times.
 * @returns the claims, or null when anything is wrong with the token
 */
export async function verifyAccessToken(
  token: string,
  key: CryptoKey,
  options: VerifyOptions,
): Promise<AccessClaims | null> {
  try {
    const { payload } = await jwtVerify(token, key, {
      issuer: options.issuer,
      audience: options.audience,
      algorithms: [...options.algorithms],
      typ: TOKEN_TYPE,
      requiredClaims: ['sub', 'tenant_id', 'sid', 'iat', 'nbf', 'exp'],
    });
    const { sub, tenant_id, sid } = payload;
    // `sid` of another issuer's token could be anything; what is no UUID never reaches a query.
    if (!isUuid(sub) || !isUuid(tenant_id) || !isUuid(sid)) return null;
    return { principal_id: sub, tenant_id, session_id: sid };
  } catch {
    return null;
  }
}

const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);

/** Issues and verifies the access tokens of the built-in issuer (SPEC T5). */
export class AccessTokens {
  readonly options: VerifyOptions;

  /** @param issuer the public URL of the API, `iss` of every token */
  constructor(
    readonly keys: SigningKeys,
    issuer: string,
    private readonly clock: () => Date = () => new Date(),
  ) {
    this.options = { issuer, audience: TOKEN_AUDIENCE, algorithms: TOKEN_ALGORITHMS };
  }

  /** Signs a token that ends after 15 minutes, or with the session where that ends sooner. */
  async issue(claims: AccessClaims, session_ends: Date): Promise<IssuedToken> {
    const now = Math.floor(this.clock().getTime() / 1000);
    const expires = Math.min(now + ACCESS_TOKEN_SECONDS, Math.floor(session_ends.getTime() / 1000));
    const { kid, alg, key } = await this.keys.signing();
    const access_token = await new SignJWT({ tenant_id: claims.tenant_id, sid: claims.session_id })
      .setProtectedHeader({ alg, kid, typ: TOKEN_TYPE })
      .setIssuer(this.options.issuer)
      .setAudience(this.options.audience)
      .setSubject(claims.principal_id)
      .setIssuedAt(now)
      .setNotBefore(now - CLOCK_SKEW_SECONDS)
      .setExpirationTime(expires)
      .sign(key);
    return { access_token, expires_in: expires - now };
  }

  /**
   * The one key of ours that may verify this token: by `kid`, whose algorithm must be the header's. Headers that bring
   * a key along (jwk, jku, x5c) are never looked at.
   */
  async keyFor(token: string): Promise<CryptoKey | null> {
    let header;
    try {
      header = decodeProtectedHeader(token);
    } catch {
      return null;
    }
    if (typeof header.kid !== 'string') return null;
    const key = await this.keys.verifying(header.kid);
    return key && key.alg === header.alg ? key.key : null;
  }

  /** @returns the claims, or null when the token is not one of ours or no longer good */
  async verify(token: string): Promise<AccessClaims | null> {
    const key = await this.keyFor(token);
    return key ? verifyAccessToken(token, key, this.options) : null;
  }
}

import { MCP_PATH } from '@hcp/contracts';
import { decodeProtectedHeader, jwtVerify, SignJWT, type CryptoKey } from 'jose';
import { TOKEN_ALGORITHMS, type SigningKeys } from '../keys/signing-keys.js';

/** `aud` of every access token but those of MCP clients. */
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
  /** The MCP client that it was issued to: such a token names /mcp as its audience, and no other token does. */
  readonly client_id: string | null;
}

export interface IssuedToken {
  readonly access_token: string;
  /** Seconds. */
  readonly expires_in: number;
}

/** What a verifier must insist on; algorithms are fixed, so that neither `none` nor HMAC is ever considered. */
export interface VerifyOptions {
  readonly issuer: string;
  /** One of these. */
  readonly audience: readonly string[];
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
      audience: [...options.audience],
      algorithms: [...options.algorithms],
      typ: TOKEN_TYPE,
      requiredClaims: ['sub', 'tenant_id', 'sid', 'iat', 'nbf', 'exp'],
    });
    const { sub, tenant_id, sid, aud, client_id = null } = payload;
    // `sid` of another issuer's token could be anything; what is no UUID never reaches a query.
    if (!isUuid(sub) || !isUuid(tenant_id) || !isUuid(sid)) return null;
    // The two go together: a token of a client is for /mcp, and one for /mcp is of a client.
    if (client_id !== null && typeof client_id !== 'string') return null;
    if ((aud === TOKEN_AUDIENCE) !== (client_id === null)) return null;
    return { principal_id: sub, tenant_id, session_id: sid, client_id };
  } catch {
    return null;
  }
}

const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);

/** Issues and verifies the access tokens of the built-in issuer (SPEC T5). */
export class AccessTokens {
  readonly issuer: string;
  /** The resource that tokens of MCP clients are for, as RFC 8707 and RFC 9728 name it. */
  readonly mcp_resource: string;

  /** @param issuer the public URL of the API, `iss` of every token */
  constructor(
    readonly keys: SigningKeys,
    issuer: string,
    private readonly clock: () => Date = () => new Date(),
  ) {
    this.issuer = issuer;
    this.mcp_resource = issuer + MCP_PATH;
  }

  /** Which audiences a route takes: a token of an MCP client is good at /mcp and nowhere else (SPEC I2). */
  audiencesAt(path: string | undefined): readonly string[] {
    return path === MCP_PATH ? [TOKEN_AUDIENCE, this.mcp_resource] : [TOKEN_AUDIENCE];
  }

  /** Signs a token that ends after 15 minutes, or with the session where that ends sooner. */
  async issue(claims: AccessClaims, session_ends: Date): Promise<IssuedToken> {
    const now = Math.floor(this.clock().getTime() / 1000);
    const expires = Math.min(now + ACCESS_TOKEN_SECONDS, Math.floor(session_ends.getTime() / 1000));
    const { kid, alg, key } = await this.keys.signing();
    const { tenant_id, session_id: sid, client_id } = claims;
    const access_token = await new SignJWT({ tenant_id, sid, ...(client_id === null ? {} : { client_id }) })
      .setProtectedHeader({ alg, kid, typ: TOKEN_TYPE })
      .setIssuer(this.issuer)
      .setAudience(client_id === null ? TOKEN_AUDIENCE : this.mcp_resource)
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

  /**
   * @param audiences see `audiencesAt`; those of every route but /mcp by default
   * @returns the claims, or null when the token is not one of ours, for somewhere else, or no longer good
   */
  async verify(token: string, audiences = this.audiencesAt(undefined)): Promise<AccessClaims | null> {
    const key = await this.keyFor(token);
    const options = { issuer: this.issuer, audience: audiences, algorithms: TOKEN_ALGORITHMS };
    return key ? verifyAccessToken(token, key, options) : null;
  }
}

import { createHash } from 'node:crypto';
import type { Database, OidcIssuer } from '@hcp/database';
import { decodeJwt, decodeProtectedHeader, jwtVerify, type JWTPayload } from 'jose';
import { TOKEN_ALGORITHMS } from '../keys/signing-keys.js';
import type { IssuerKeys } from './issuer-keys.js';
import { issuerKey } from './lookup-key.js';

const CLOCK_SKEW_SECONDS = 30;
/** A token that lives longer is refused: it could not be taken back at its issuer for that long. */
const MAX_TOKEN_SECONDS = 24 * 3600;
const MAX_AUDIENCES = 5;
/** Access tokens (RFC 9068), ID tokens, and those that say nothing. Logout and event tokens say that they are such. */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];
const SUBJECT = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

/** What a good token of an external issuer says. */
export interface ExternalClaims {
  readonly tenant_id: string;
  readonly issuer_id: string;
  readonly subject: string;
  /** As the issuer says, unchecked. */
  readonly email: string | null;
  /** SHA-256 of what the signature covers: the same token with another spelling of its signature is the same token. */
  readonly token_hash: Uint8Array<ArrayBuffer>;
  readonly expires_at: Date;
}

/** Verifies tokens of the identity providers that tenants registered (SPEC T5). */
export class ExternalTokens {
  constructor(
    private readonly db: Database,
    private readonly keys: IssuerKeys,
    private readonly clock: () => Date = () => new Date(),
  ) {}

  /**
   * @returns null when anything is wrong with the token, or its issuer cannot be asked for its keys
   * @throws when the database cannot be read
   */
  async verify(token: string): Promise<ExternalClaims | null> {
    const said = readUnverified(token);
    if (!said) return null;
    const { alg, kid, issuer, audiences } = said;
    const registered = await this.#registered(issuer, audiences);
    if (!registered?.algorithms.includes(alg)) return null;
    const key = await this.keys.key(issuer, kid, alg);
    if (!key) return null;
    try {
      const { payload } = await jwtVerify(token, key, {
        issuer,
        audience: registered.audience,
        algorithms: [alg],
        clockTolerance: CLOCK_SKEW_SECONDS,
        requiredClaims: ['iss', 'aud', 'exp', 'iat'],
        currentDate: this.clock(),
      });
      return this.#claims(token, payload, registered);
    } catch {
      return null;
    }
  }

  /** The one registration that the token is for; where it names the audiences of two, nobody can tell which is meant. */
  async #registered(issuer: string, audiences: readonly string[]): Promise<OidcIssuer | null> {
    const found: OidcIssuer[] = [];
    for (const audience of audiences) {
      const lookup_key = issuerKey(issuer, audience);
      const row = await this.db.issuer(lookup_key, (tx) => tx.oidcIssuer.findUnique({ where: { lookup_key } }));
      if (row) found.push(row);
    }
    return found.length === 1 ? (found[0] ?? null) : null;
  }

  #claims(token: string, payload: JWTPayload, registered: OidcIssuer): ExternalClaims | null {
    const { exp = 0, iat = 0 } = payload;
    const now = this.clock().getTime() / 1000;
    if (iat > now + CLOCK_SKEW_SECONDS || exp - iat > MAX_TOKEN_SECONDS) return null;
    // Security event tokens such as logout tokens carry this claim, and are no credentials.
    if (payload['events'] !== undefined) return null;
    const subject = payload[registered.subject_claim];
    if (typeof subject !== 'string' || !SUBJECT.test(subject)) return null;
    const email = registered.email_claim === null ? null : payload[registered.email_claim];
    return {
      tenant_id: registered.tenant_id,
      issuer_id: registered.id,
      subject,
      email: typeof email === 'string' && SUBJECT.test(email) ? email : null,
      token_hash: new Uint8Array(
        createHash('sha256')
          .update(token.slice(0, token.lastIndexOf('.')))
          .digest(),
      ),
      expires_at: new Date(exp * 1000),
    };
  }
}

interface Said {
  readonly alg: string;
  readonly kid: string;
  readonly issuer: string;
  readonly audiences: readonly string[];
}

/** What the token says before anything is believed: enough to find out who could have signed it. */
function readUnverified(token: string): Said | null {
  try {
    const { alg, kid, typ } = decodeProtectedHeader(token);
    const { iss, aud } = decodeJwt(token);
    const audiences = [...new Set(Array.isArray(aud) ? aud : [aud])];
    const texts = audiences.filter((one): one is string => typeof one === 'string' && one !== '');
    const fine =
      (TOKEN_ALGORITHMS as readonly unknown[]).includes(alg) &&
      TYPES.includes(typeof typ === 'string' ? typ.toLowerCase() : typ) &&
      texts.length === audiences.length &&
      texts.length <= MAX_AUDIENCES;
    if (!fine || typeof alg !== 'string' || typeof kid !== 'string' || typeof iss !== 'string') return null;
    return { alg, kid, issuer: iss, audiences: texts };
  } catch {
    return null;
  }
}

/** `iss` as the token says, unverified: which verifier is to look at it. */
export function unverifiedIssuer(token: string): string | null {
  try {
    return decodeJwt(token).iss ?? null;
  } catch {
    return null;
  }
}

import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { SigningKeys } from '../keys/signing-keys.js';
import { TOKEN_AUDIENCE } from './access-tokens.js';

/** SPEC B2. */
const MAX_SECONDS = 15 * 60;
/** The run ends before its token does (SPEC B4): its time-out counts from when the program begins. */
const MARGIN_SECONDS = 5;
const CLOCK_SKEW_SECONDS = 5;
/** Not an access token's (RFC 9068), so that no API of this issuer takes one for the other (RFC 8725, 3.11). */
export const WORKLOAD_TOKEN_TYPE = 'hcp-workload+jwt';

/** For which run a token speaks. */
export interface WorkloadClaims {
  readonly audience: string;
  readonly tenant_id: string;
  readonly project_id: string | null;
  readonly principal_id: string;
  readonly acts_for: string | null;
  readonly pack_id: string;
  readonly verb_key: string;
  /** The keyed digest of the exact call (SPEC V1). */
  readonly args_digest: string;
  readonly run_id: string;
  /** How long the run may take. */
  readonly timeout_ms: number;
}

/**
 * Signs a token that says which run its bearer is, for one service, verifiable at `/.well-known/jwks.json` (SPEC B2). It
 * ends with the run's time-out, after 15 minutes at the latest.
 * @throws KeysUnavailable where the root key cannot be used now
 */
export async function signWorkloadToken(
  { keys, issuer, clock = () => new Date() }: { keys: SigningKeys; issuer: string; clock?: () => Date },
  claims: WorkloadClaims,
): Promise<string> {
  const { audience, principal_id, timeout_ms, ...told } = claims;
  if (isOurs(audience, issuer)) throw new Error('a workload token is for another service');
  const now = Math.floor(clock().getTime() / 1000);
  const seconds = Math.min(MAX_SECONDS, Math.ceil(timeout_ms / 1000) + MARGIN_SECONDS);
  const { kid, alg, key } = await keys.signing();
  return new SignJWT({ ...told })
    .setProtectedHeader({ alg, kid, typ: WORKLOAD_TOKEN_TYPE })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(principal_id)
    .setJti(randomUUID())
    .setIssuedAt(now)
    .setNotBefore(now - CLOCK_SKEW_SECONDS)
    .setExpirationTime(now + seconds)
    .sign(key);
}

/** Whatever this API may be called, at any of its paths: no token that is lent shall speak to it. */
function isOurs(audience: string, issuer: string): boolean {
  if (audience === TOKEN_AUDIENCE || audience.startsWith(`${TOKEN_AUDIENCE}-`)) return true;
  return URL.canParse(audience) && new URL(audience).origin === new URL(issuer).origin;
}

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * `hcp` for API keys, `hcpr` for refresh tokens, `hcpi` for invitations, `hcpp` for password resets, `hcpc` and `hcpo`
 * for codes and refresh tokens of MCP clients.
 */
export type SecretPrefix = 'hcp' | 'hcpr' | 'hcpi' | 'hcpp' | 'hcpc' | 'hcpo';

export interface MintedSecret {
  /** `<prefix>_<32 hex id>_<secret>`; shown once, never stored. */
  readonly token: string;
  /** SHA-256 of the secret, which has 256 random bits, so that no slow hash is needed. */
  readonly secret_hash: Uint8Array<ArrayBuffer>;
}

export interface ParsedSecret {
  /** UUID of the row. */
  readonly id: string;
  readonly secret: string;
}

/** @param id UUID of the row that will hold the hash */
export function mintSecret(prefix: SecretPrefix, id: string): MintedSecret {
  const secret = randomBytes(32).toString('base64url');
  return { token: `${prefix}_${id.replaceAll('-', '')}_${secret}`, secret_hash: hashSecret(secret) };
}

/** Takes a token apart; null when it has another shape. */
export function parseSecret(prefix: SecretPrefix, token: string): ParsedSecret | null {
  const match = /^([a-z]{1,8})_([0-9a-f]{32})_([A-Za-z0-9_-]{43})$/.exec(token);
  if (match?.[1] !== prefix) return null;
  const hex = match[2] ?? '';
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  return { id, secret: match[3] ?? '' };
}

export function hashSecret(secret: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(secret, 'utf8').digest());
}

/** Constant-time. */
export function secretMatches(secret: string, secret_hash: Uint8Array): boolean {
  const actual = hashSecret(secret);
  return actual.length === secret_hash.length && timingSafeEqual(actual, secret_hash);
}

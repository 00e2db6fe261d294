import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits, for a URL or a cookie. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

export function matches(secret: string, hash: string | null): boolean {
  if (hash === null) return false;
  return timingSafeEqual(Buffer.from(hashOf(secret), 'hex'), Buffer.from(hash, 'hex'));
}

/** No vowels, so no words; no letters that look like digits. */
const LETTERS = 'BCDFGHJKMNPQRSTVWXZ23456789';

/** What a person compares between the terminal and the page: eight letters that tell nothing of the ticket. */
export function codeOf(ticket: string): string {
  const digest = createHash('sha256').update(`code ${ticket}`).digest();
  const letters = [...digest.subarray(0, 8)].map((byte) => LETTERS[byte % LETTERS.length] ?? 'X').join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

const STATE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.([A-Za-z0-9_-]{43})$/;

/** `state` names its connection, so that the tenant can be found by it. */
export const stateOf = (id: string, secret: string): string => `${id}.${secret}`;

export function readState(state: string): { readonly id: string; readonly secret: string } | null {
  const [, id, secret] = STATE.exec(state) ?? [];
  return id !== undefined && secret !== undefined ? { id, secret } : null;
}

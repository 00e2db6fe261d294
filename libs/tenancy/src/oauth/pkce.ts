import { createHash, timingSafeEqual } from 'node:crypto';

/** A SHA-256 digest in base64url: the only challenge that is taken (RFC 7636, S256). */
export const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** Whether whoever brings the code is who asked for it. */
export function verifierFits(challenge: string, verifier: string | undefined): boolean {
  if (verifier === undefined || !VERIFIER.test(verifier)) return false;
  const digest = createHash('sha256').update(verifier, 'ascii').digest('base64url');
  return digest.length === challenge.length && timingSafeEqual(Buffer.from(digest), Buffer.from(challenge));
}

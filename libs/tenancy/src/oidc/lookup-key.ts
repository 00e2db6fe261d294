import { createHash } from 'node:crypto';

/** What a pair of issuer and audience is found by before its tenant is known; unambiguous whatever the texts hold. */
export const issuerKey = (issuer: string, audience: string): string =>
  createHash('sha256')
    .update(JSON.stringify([issuer, audience]), 'utf8')
    .digest('hex');

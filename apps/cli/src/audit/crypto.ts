import { createHash, createPublicKey, verify } from 'node:crypto';
import type { AuditCrypto } from '@hcp/sdk';

/** Node's own hash and signature: at once, and without Web Crypto, which calls Ed25519 experimental here. */
export const nodeAuditCrypto: AuditCrypto = {
  sha256: (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()),
  ed25519: (public_key, signed, signature) => {
    const x = Buffer.from(public_key).toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, signed, key, signature);
  },
};

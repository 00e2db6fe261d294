import type { AuditCrypto } from '@hcp/core';

/** The hash and the signature that verify an audit log, by Web Crypto: for browsers, and wherever it is there. */
export const webAuditCrypto: AuditCrypto = {
  sha256: async (bytes) => new Uint8Array(await crypto.subtle.digest('SHA-256', own(bytes))),
  ed25519: async (public_key, signed, signature) => {
    const key = await crypto.subtle.importKey('raw', own(public_key), { name: 'Ed25519' }, false, ['verify']);
    return crypto.subtle.verify({ name: 'Ed25519' }, key, own(signature), own(signed));
  },
};

/** Web Crypto takes no bytes that other threads may change. */
const own = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import type { LogDeps, LogKey } from '@hcp/audit';
import {
  linesOf,
  readNoteKey,
  verifyExport,
  type AuditCrypto,
  type VerifiedExport,
  type VerifyOptions,
} from '@hcp/core';
import type { Database } from '@hcp/database';

/** Node's own hash and signature, for what verifies a log. */
export const nodeCrypto: AuditCrypto = {
  sha256: (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()),
  ed25519: (public_key, signed, signature) => {
    const x = Buffer.from(public_key).toString('base64url');
    return verify(null, signed, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), signature);
  },
};

/** What the log is read with, under a key of this test alone. */
export function logOf(db: Database, log_name = 'hcp.example.com'): LogDeps {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const public_key = new Uint8Array(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'));
  const key: LogKey = { log_name, public_key, sign: (bytes) => new Uint8Array(sign(null, bytes, privateKey)) };
  return { db, key: () => Promise.resolve(key) };
}

/** Verifies the text of an export with a key as the API writes it. */
export async function verified(
  text: string | AsyncIterable<string>,
  key_text: string,
  options: Partial<VerifyOptions> = {},
): Promise<VerifiedExport> {
  const key = await readNoteKey(nodeCrypto.sha256, key_text);
  if (!key) throw new Error('no key of a log');
  return verifyExport(linesOf(typeof text === 'string' ? once(text) : text), { crypto: nodeCrypto, key, ...options });
}

async function* once(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}

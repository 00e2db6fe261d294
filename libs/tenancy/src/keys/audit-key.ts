import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { LogKey } from '@hcp/audit';
import { isUniqueViolation, type Database, type SigningKey } from '@hcp/database';
import type { Kms } from '@hcp/kms';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { signingKeyPlace } from './signing-keys.js';

/** How long the private half stays unwrapped in memory. */
const PRIVATE_MS = 300_000;

/**
 * The key that signs the audit logs' checkpoints (SPEC U3): Ed25519, one for the installation, in the database, the
 * private half wrapped by the root key as those of the issuer's own keys are. No token is ever signed with it.
 */
export class AuditKey {
  readonly #log_name: string;
  #opened: { readonly key: LogKey; readonly until: number } | null = null;

  constructor(
    private readonly db: Database,
    private readonly kms: Kms,
    public_url: string,
    private readonly clock: () => Date = () => new Date(),
  ) {
    const { host, pathname } = new URL(public_url);
    // As C2SP has names: no scheme, no space, no plus.
    this.#log_name = (host + pathname.replace(/\/+$/, '')).replaceAll('+', '%2B');
  }

  /**
   * Made on first use. Its installation keeps the name it had then.
   * @throws KeysUnavailable where the root key cannot be used now
   */
  async current(): Promise<LogKey> {
    const now = this.clock().getTime();
    if (this.#opened && this.#opened.until > now) return this.#opened.key;
    const key = await this.#open((await this.#stored()) ?? (await this.#create()));
    this.#opened = { key, until: now + PRIVATE_MS };
    return key;
  }

  #stored(): Promise<SigningKey | null> {
    return this.db.global((tx) => tx.signingKey.findFirst({ where: { purpose: 'audit', retired_at: null } }));
  }

  async #open({ kid, private_enc, root_key_id, public_jwk, log_name }: SigningKey): Promise<LogKey> {
    if (private_enc === null || root_key_id === null || log_name === null)
      throw new Error('the audit key is not whole');
    const opened = await this.kms.unwrap({ bytes: Buffer.from(private_enc), root_key_id }, signingKeyPlace(kid));
    const private_key: KeyObject = createPrivateKey({ key: JSON.parse(opened.toString('utf8')) as JWK, format: 'jwk' });
    const public_key = new Uint8Array(Buffer.from((public_jwk as JWK).x ?? '', 'base64url'));
    return { log_name, public_key, sign: (bytes) => new Uint8Array(sign(null, bytes, private_key)) };
  }

  async #create(): Promise<SigningKey> {
    const pair = generateKeyPairSync('ed25519');
    const public_part = pair.publicKey.export({ format: 'jwk' }) as JWK;
    const kid = await calculateJwkThumbprint(public_part);
    const secret = Buffer.from(JSON.stringify(pair.privateKey.export({ format: 'jwk' })), 'utf8');
    const { bytes, root_key_id } = await this.kms.wrap(secret, signingKeyPlace(kid));
    const public_jwk = { ...public_part, kid } as object;
    const shared = { purpose: 'audit', log_name: this.#log_name, root_key_id };
    const data = { kid, alg: 'EdDSA', public_jwk, private_enc: new Uint8Array(bytes), ...shared };
    try {
      return await this.db.global((tx) => tx.signingKey.create({ data }));
    } catch (error) {
      // Another replica was faster, and its key is the one.
      const stored = isUniqueViolation(error) ? await this.#stored() : null;
      if (stored) return stored;
      throw error;
    }
  }
}

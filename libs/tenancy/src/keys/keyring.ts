import { createHash, randomBytes } from 'node:crypto';
import type { Database } from '@hcp/database';
import { deriveKey, openWith, sealWith } from './cipher.js';

/** The keys of one tenant, unwrapped. */
export interface TenantKeys {
  /** For HMAC digests of calls (SPEC V1). */
  readonly digest_key: Buffer;
  /** AES-256-GCM under the newest data key; `aad` says what the text is and of which row. */
  seal(plain: Buffer, aad: string): Buffer;
  /** @throws Error when the text was changed, moved to another place, or belongs to another tenant */
  open(sealed: Buffer, aad: string): Buffer;
}

const VERSION_BYTES = 4;

/** Every key at rest hangs on the root key, which lives in the environment alone (SPEC B3). */
export class Keyring {
  readonly #wrapping_key: Buffer;
  readonly #root_key_id: string;
  readonly #root: Buffer;
  readonly #cache = new Map<string, Promise<TenantKeys>>();

  /** @param root_key 32 bytes */
  constructor(
    root_key: Buffer,
    private readonly db: Database,
  ) {
    if (root_key.length !== 32) throw new RangeError('the root key must be 32 bytes');
    this.#root = root_key;
    this.#wrapping_key = deriveKey(root_key, 'tenant-keys');
    this.#root_key_id = createHash('sha256').update(deriveKey(root_key, 'key-id')).digest('hex').slice(0, 16);
  }

  /** A key derived from the root key for what belongs to no tenant, such as signing keys. */
  rootKeyFor(purpose: string): Buffer {
    return deriveKey(this.#root, purpose);
  }

  /** The tenant's keys; its first data key is made on first use. Cached: data keys never change, they only grow. */
  async tenantKeys(tenant_id: string): Promise<TenantKeys> {
    const cached = this.#cache.get(tenant_id);
    if (cached) return cached;
    const loading = this.#load(tenant_id);
    this.#cache.set(tenant_id, loading);
    // A failure (database away) must not stick.
    loading.catch(() => this.#cache.delete(tenant_id));
    return loading;
  }

  async #load(tenant_id: string): Promise<TenantKeys> {
    const rows = await this.db.tenant(tenant_id, async (tx) => {
      const order = { version: 'asc' } as const;
      const found = await tx.tenantKey.findMany({ where: { tenant_id }, orderBy: order });
      if (found.length > 0) return found;
      const wrapped = sealWith(this.#wrapping_key, randomBytes(32), this.#aad(tenant_id, 1));
      const first = { tenant_id, version: 1, wrapped: new Uint8Array(wrapped), root_key_id: this.#root_key_id };
      // Two replicas may race here: one row wins and both read it.
      await tx.tenantKey.createMany({ data: [first], skipDuplicates: true });
      return tx.tenantKey.findMany({ where: { tenant_id }, orderBy: order });
    });
    const keys = new Map<number, Buffer>();
    for (const row of rows) {
      if (row.root_key_id !== this.#root_key_id) throw new Error('a data key is wrapped by another root key');
      const opened = openWith(this.#wrapping_key, Buffer.from(row.wrapped), this.#aad(tenant_id, row.version));
      keys.set(row.version, opened);
    }
    return tenantKeys(tenant_id, keys);
  }

  #aad(tenant_id: string, version: number): string {
    return `tenant_key/${tenant_id}/${version}`;
  }
}

function tenantKeys(tenant_id: string, keys: ReadonlyMap<number, Buffer>): TenantKeys {
  const newest = Math.max(...keys.keys());
  const sealing = new Map([...keys].map(([version, key]) => [version, deriveKey(key, 'seal')]));
  const keyOf = (map: ReadonlyMap<number, Buffer>, version: number): Buffer => {
    const key = map.get(version);
    if (!key) throw new Error('sealed by a data key that is not there');
    return key;
  };
  return {
    // The first key, for good: a digest given out must still compare after the data key grew.
    digest_key: deriveKey(keyOf(keys, Math.min(...keys.keys())), 'digest'),
    seal(plain, aad) {
      const version = Buffer.alloc(VERSION_BYTES);
      version.writeUInt32BE(newest);
      return Buffer.concat([version, sealWith(keyOf(sealing, newest), plain, `${tenant_id}/${newest}/${aad}`)]);
    },
    open(sealed, aad) {
      if (sealed.length < VERSION_BYTES) throw new Error('sealed text is too short');
      const version = sealed.readUInt32BE(0);
      return openWith(keyOf(sealing, version), sealed.subarray(VERSION_BYTES), `${tenant_id}/${version}/${aad}`);
    },
  };
}

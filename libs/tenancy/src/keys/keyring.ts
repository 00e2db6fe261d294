import { randomBytes } from 'node:crypto';
import type { Database, TenantKey } from '@hcp/database';
import { deriveKey, openWith, sealWith, type Kms } from '@hcp/kms';

/** The keys of one tenant, unwrapped. */
export interface TenantKeys {
  /** For HMAC digests of calls (SPEC V1). */
  readonly digest_key: Buffer;
  /** AES-256-GCM under the newest data key; `aad` says what the text is and of which row. */
  seal(plain: Buffer, aad: string): Buffer;
  /** @throws Error when the text was changed, moved to another place, or belongs to another tenant */
  open(sealed: Buffer, aad: string): Buffer;
}

export interface KeyringOptions {
  /** How long unwrapped data keys are kept in memory; at most, and by default, 5 minutes. */
  readonly cache_ms?: number;
  readonly clock?: () => Date;
}

const VERSION_BYTES = 4;
const MAX_CACHE_MS = 300_000;
/**
 * A new data key seals only when it is this old: by then every replica has forgotten a set without it, whatever its
 * clock says within minutes.
 */
export const DATA_KEY_REST_MS = 2 * MAX_CACHE_MS;
/** Tenants whose keys are in memory at once. */
const MAX_CACHED = 10_000;

interface Cached {
  readonly until: number;
  readonly keys: Promise<TenantKeys>;
}

/** Data keys, one or more for each tenant, each wrapped by a root key that the KMS keeps (SPEC B3). */
export class Keyring {
  readonly #cache = new Map<string, Cached>();
  readonly #cache_ms: number;
  readonly #clock: () => Date;

  constructor(
    private readonly kms: Kms,
    private readonly db: Database,
    options: KeyringOptions = {},
  ) {
    this.#cache_ms = Math.min(options.cache_ms ?? MAX_CACHE_MS, MAX_CACHE_MS);
    this.#clock = options.clock ?? (() => new Date());
  }

  /**
   * The tenant's keys; its first data key is made on first use.
   * @throws KeysUnavailable where the root key cannot be used now
   */
  async tenantKeys(tenant_id: string): Promise<TenantKeys> {
    const now = this.#clock().getTime();
    const cached = this.#cache.get(tenant_id);
    if (cached && cached.until > now) return cached.keys;
    const keys = this.#load(tenant_id);
    const entry = { until: now + this.#cache_ms, keys };
    this.#forget(now);
    this.#cache.set(tenant_id, entry);
    // A failure (database or KMS away) must not stick.
    keys.catch(() => {
      if (this.#cache.get(tenant_id) === entry) this.#cache.delete(tenant_id);
    });
    return keys;
  }

  /**
   * Gives the tenant another data key, which seals once it has rested. The older ones go on opening what they sealed.
   * @returns its version
   */
  async addDataKey(tenant_id: string): Promise<number> {
    await this.tenantKeys(tenant_id);
    const newest = await this.db.tenant(tenant_id, (tx) => tx.tenantKey.findFirstOrThrow(NEWEST(tenant_id)));
    const version = newest.version + 1;
    const row = await this.#wrapNew(tenant_id, version);
    // Two who ask at once get one new key.
    await this.db.tenant(tenant_id, (tx) => tx.tenantKey.createMany({ data: [row], skipDuplicates: true }));
    return version;
  }

  async #load(tenant_id: string): Promise<TenantKeys> {
    const order = { version: 'asc' } as const;
    const stored = (): Promise<TenantKey[]> =>
      this.db.tenant(tenant_id, (tx) => tx.tenantKey.findMany({ where: { tenant_id }, orderBy: order }));
    let rows = await stored();
    if (rows.length === 0) {
      // Outside of a transaction: the KMS may be slow.
      const first = await this.#wrapNew(tenant_id, 1);
      // Two replicas may race here: one row wins and both read it.
      await this.db.tenant(tenant_id, (tx) => tx.tenantKey.createMany({ data: [first], skipDuplicates: true }));
      rows = await stored();
    }
    const opened = await Promise.all(
      rows.map(async ({ version, wrapped, root_key_id }) => {
        const key = { bytes: Buffer.from(wrapped), root_key_id };
        return [version, await this.kms.unwrap(key, dataKeyPlace(tenant_id, version))] as const;
      }),
    );
    const rested = this.#clock().getTime() - DATA_KEY_REST_MS;
    const usable = rows.filter(({ created_at }, index) => index === 0 || created_at.getTime() <= rested);
    return tenantKeys(tenant_id, new Map(opened), usable.at(-1)?.version ?? 1);
  }

  async #wrapNew(tenant_id: string, version: number) {
    const { bytes, root_key_id } = await this.kms.wrap(randomBytes(32), dataKeyPlace(tenant_id, version));
    return { tenant_id, version, wrapped: new Uint8Array(bytes), root_key_id };
  }

  /** Keys whose time is over are let go of, and the oldest ones where there are too many. */
  #forget(now: number): void {
    for (const [tenant_id, { until }] of this.#cache) {
      if (until > now && this.#cache.size < MAX_CACHED) break;
      this.#cache.delete(tenant_id);
    }
  }
}

const NEWEST = (tenant_id: string) => ({ where: { tenant_id }, orderBy: { version: 'desc' } }) as const;

/** Where a wrapped data key belongs; at another place it opens no more. */
export const dataKeyPlace = (tenant_id: string, version: number): string => `tenant_key/${tenant_id}/${version}`;

function tenantKeys(tenant_id: string, keys: ReadonlyMap<number, Buffer>, newest: number): TenantKeys {
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

import { KeysUnavailable } from '@hcp/core';
import type { Database, Tx } from '@hcp/database';
import type { Kms, Wrapped } from '@hcp/kms';
import { dataKeyPlace } from './keyring.js';
import { signingKeyPlace } from './signing-keys.js';

/** What one root key wraps. */
export interface RootKeyUse {
  readonly root_key_id: string;
  /** It wraps what is made now. */
  readonly primary: boolean;
  /** This process can open what it wrapped. */
  readonly opens: boolean;
  readonly data_keys: number;
  readonly signing_keys: number;
}

export interface Rewrapped {
  readonly primary: string;
  /** Keys that the primary root key wraps since this call. */
  readonly done: number;
  /** Keys that another root key still wraps. */
  readonly left: number;
}

/** A root key is gone that something in the database still needs; it would be lost with it (SPEC B3). */
export class RootKeyMissing extends Error {
  override readonly name = 'RootKeyMissing';
}

const BATCH = 50;

/** Changing root keys while everything runs (SPEC B3). Any replica may do each of these, and several at once. */
export class RootKeyCare {
  constructor(
    private readonly kms: Kms,
    private readonly db: Database,
  ) {}

  /** Every root key in use, and the primary one whether it is or not. */
  async status(): Promise<RootKeyUse[]> {
    const primary = await this.kms.primary();
    const uses = await this.#uses();
    if (!uses.some(({ root_key_id }) => root_key_id === primary)) {
      uses.push({ root_key_id: primary, data_keys: 0, signing_keys: 0 });
    }
    return Promise.all(
      uses.map(async (use) => ({
        ...use,
        primary: use.root_key_id === primary,
        opens: await this.kms.opens(use.root_key_id),
      })),
    );
  }

  /**
   * Asked once at start: fails where a key is wrapped by a root key that this process does not have. A KMS that cannot
   * be asked now is no reason not to start: what needs it is refused until it answers.
   * @returns false where it could not be told
   * @throws RootKeyMissing naming the root keys by their ids
   */
  async check(): Promise<boolean> {
    const uses = await this.#uses();
    let opens: boolean[];
    try {
      opens = await Promise.all(uses.map(({ root_key_id }) => this.kms.opens(root_key_id)));
    } catch (error) {
      if (error instanceof KeysUnavailable) return false;
      throw error;
    }
    const missing = uses.filter((_use, index) => opens[index] === false);
    if (missing.length === 0) return true;
    const named = missing.map((use) => `${use.root_key_id} (wraps ${use.data_keys + use.signing_keys} keys)`);
    throw new RootKeyMissing(
      `root keys are in use that this process does not have: ${named.join(', ')}. ` +
        'Give them back (HCP_ROOT_KEYS_ALSO, HCP_ROOT_KEY_FILE, HCP_KMS_ALSO), or first wrap anew what they wrap',
    );
  }

  /**
   * Wraps keys anew by the primary root key, at most `limit`. Each is compared and set: what another replica did in the
   * meantime stays, and a call that was cut short is gone on with by the next.
   * @throws KeysUnavailable where the KMS cannot be asked now; what was done stays done
   */
  async rewrap(limit: number): Promise<Rewrapped> {
    const primary = await this.kms.primary();
    let done = 0;
    for (let batch = await this.#dataKeys(primary, limit); batch.length > 0;) {
      const moved = await Promise.all(batch.map((row) => this.#rewrapDataKey(row)));
      done += moved.filter(Boolean).length;
      // None: others are at the same rows, or the KMS changed its key in between; the next call looks again.
      if (done >= limit || !moved.includes(true)) break;
      batch = await this.#dataKeys(primary, limit - done);
    }
    for (const row of await this.#signingKeys(primary, limit - done)) if (await this.#rewrapSigningKey(row)) done += 1;
    const left = (await this.#uses())
      .filter(({ root_key_id }) => root_key_id !== primary)
      .reduce((sum, { data_keys, signing_keys }) => sum + data_keys + signing_keys, 0);
    return { primary, done, left };
  }

  #dataKeys(primary: string, limit: number) {
    const order = [{ tenant_id: 'asc' }, { version: 'asc' }] as const;
    const where = { root_key_id: { not: primary } };
    return this.db.keyKeeper((tx) =>
      tx.tenantKey.findMany({ where, orderBy: [...order], take: Math.min(limit, BATCH) }),
    );
  }

  async #rewrapDataKey(row: Awaited<ReturnType<Tx['tenantKey']['findFirstOrThrow']>>): Promise<boolean> {
    const { tenant_id, version, wrapped, root_key_id } = row;
    const place = dataKeyPlace(tenant_id, version);
    const anew = await this.#anew({ bytes: Buffer.from(wrapped), root_key_id }, place);
    const data = { wrapped: new Uint8Array(anew.bytes), root_key_id: anew.root_key_id };
    const where = { tenant_id, version, root_key_id, wrapped };
    const { count } = await this.db.tenant(tenant_id, (tx) => tx.tenantKey.updateMany({ where, data }));
    return count > 0;
  }

  #signingKeys(primary: string, limit: number) {
    const where = { root_key_id: { not: primary }, private_enc: { not: null } };
    return this.db.global((tx) => tx.signingKey.findMany({ where, orderBy: { kid: 'asc' }, take: Math.max(limit, 0) }));
  }

  async #rewrapSigningKey(row: Awaited<ReturnType<Tx['signingKey']['findFirstOrThrow']>>): Promise<boolean> {
    const { kid, private_enc, root_key_id } = row;
    if (private_enc === null || root_key_id === null) return false;
    const anew = await this.#anew({ bytes: Buffer.from(private_enc), root_key_id }, signingKeyPlace(kid));
    const data = { private_enc: new Uint8Array(anew.bytes), root_key_id: anew.root_key_id };
    const where = { kid, root_key_id, private_enc };
    const { count } = await this.db.global((tx) => tx.signingKey.updateMany({ where, data }));
    return count > 0;
  }

  /** Opened once more before it takes the old one's place: what it wraps could not be had again. */
  async #anew(wrapped: Wrapped, place: string): Promise<Wrapped> {
    const plain = await this.kms.unwrap(wrapped, place);
    const anew = await this.kms.wrap(plain, place);
    if (!(await this.kms.unwrap(anew, place)).equals(plain)) throw new Error('the KMS does not open what it wraps');
    return anew;
  }

  async #uses(): Promise<{ root_key_id: string; data_keys: number; signing_keys: number }[]> {
    const data = await this.db.keyKeeper((tx) => tx.tenantKey.groupBy({ by: ['root_key_id'], _count: true }));
    const signing = await this.db.global((tx) => tx.signingKey.groupBy({ by: ['root_key_id'], _count: true }));
    const uses = new Map<string, { data_keys: number; signing_keys: number }>();
    const of = (id: string) => uses.get(id) ?? { data_keys: 0, signing_keys: 0 };
    for (const { root_key_id: id, _count } of data) uses.set(id, { ...of(id), data_keys: _count });
    for (const { root_key_id: id, _count } of signing) {
      if (id !== null) uses.set(id, { ...of(id), signing_keys: _count });
    }
    return [...uses].map(([root_key_id, use]) => ({ root_key_id, ...use })).sort(byId);
  }
}

const byId = (a: { root_key_id: string }, b: { root_key_id: string }): number =>
  a.root_key_id < b.root_key_id ? -1 : 1;

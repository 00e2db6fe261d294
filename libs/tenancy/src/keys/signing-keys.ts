import type { Database, SigningKey as SigningKeyRow } from '@hcp/database';
import type { Kms } from '@hcp/kms';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose';

/** Algorithms a token of ours may be signed with (SPEC T5). */
export const TOKEN_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;

/** A retired key still verifies for as long as the tokens it signed may live. */
const RETIRED_GRACE_MS = 20 * 60_000;
const CACHE_MS = 60_000;
/** A flood of unknown key ids must not become a flood of queries. */
const REFETCH_MS = 1_000;
/** How long the private half stays unwrapped in memory. */
const PRIVATE_MS = 300_000;
/** A new key is published for so long before it signs, for those who keep a copy of the key set. */
export const PUBLISH_MS = 5 * 60_000;
/** The key before it goes on signing for a while longer, until every replica has seen the change. */
const RETIRES_AFTER_MS = PUBLISH_MS + 2 * CACHE_MS;

/** The key of the audit log is in the same table, and no key of tokens. */
const TOKENS = { purpose: 'token' } as const;

export interface VerifyingKey {
  readonly kid: string;
  readonly alg: string;
  readonly key: CryptoKey;
  readonly public_jwk: JWK;
}

export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly key: CryptoKey;
}

interface KeySet {
  readonly loaded_at: number;
  readonly verifying: ReadonlyMap<string, VerifyingKey>;
  readonly signing: SigningKeyRow | null;
}

/** The issuer's own keys: in the database, the private half wrapped by the root key; every replica has the same set. */
export class SigningKeys {
  #set: KeySet | null = null;
  #opened: (SigningKey & { readonly until: number }) | null = null;

  constructor(
    private readonly db: Database,
    private readonly kms: Kms,
    private readonly clock: () => Date = () => new Date(),
  ) {}

  /**
   * The key to sign with: the newest that is published long enough and not retired, made on first use.
   * @throws KeysUnavailable where the root key cannot be used now
   */
  async signing(): Promise<SigningKey> {
    let set = await this.#current(CACHE_MS);
    if (!set.signing) {
      await this.#create();
      set = await this.#current(0);
    }
    if (!set.signing) throw new Error('no signing key');
    return this.#open(set.signing);
  }

  /** The key of this id from our own set alone; never one that a token brings along. */
  async verifying(kid: string): Promise<VerifyingKey | null> {
    const known = (await this.#current(CACHE_MS)).verifying.get(kid);
    return known ?? (await this.#current(REFETCH_MS)).verifying.get(kid) ?? null;
  }

  /** The public halves, as `/.well-known/jwks.json` answers them. */
  async jwks(): Promise<{ keys: JWK[] }> {
    let set = await this.#current(CACHE_MS);
    if (!set.signing) {
      await this.#create();
      set = await this.#current(0);
    }
    return { keys: [...set.verifying.values()].map((key) => key.public_jwk) };
  }

  /**
   * Puts another key next to the one that signs. It is published at once and signs soon; the one before then retires, and
   * verifies until the last of its tokens has ended.
   */
  async rotate(): Promise<{ kid: string; signs_from: Date }> {
    const now = this.clock();
    const made = await this.#create();
    const retired_at = new Date(now.getTime() + RETIRES_AFTER_MS);
    await this.db.global(async (tx) => {
      const others = { ...TOKENS, kid: { not: made.kid }, retired_at: null };
      await tx.signingKey.updateMany({ where: others, data: { retired_at } });
      // What retired signs nothing any more, so nobody needs its private half.
      await tx.signingKey.updateMany({
        where: { ...TOKENS, retired_at: { lt: now } },
        data: { private_enc: null, root_key_id: null },
      });
    });
    this.#set = null;
    return { kid: made.kid, signs_from: new Date(made.created_at.getTime() + PUBLISH_MS) };
  }

  async #current(max_age_ms: number): Promise<KeySet> {
    const now = this.clock().getTime();
    if (this.#set && now - this.#set.loaded_at < max_age_ms) return this.#set;
    const rows = await this.db.global((tx) =>
      tx.signingKey.findMany({ where: TOKENS, orderBy: [{ created_at: 'desc' }, { kid: 'asc' }] }),
    );
    const verifying = new Map<string, VerifyingKey>();
    for (const row of rows) {
      if (!(TOKEN_ALGORITHMS as readonly string[]).includes(row.alg)) continue;
      if (row.retired_at && row.retired_at.getTime() + RETIRED_GRACE_MS < now) continue;
      const public_jwk = row.public_jwk as JWK;
      verifying.set(row.kid, { kid: row.kid, alg: row.alg, key: await imported(public_jwk, row.alg), public_jwk });
    }
    const able = rows.filter(
      ({ kid, private_enc, retired_at }) =>
        verifying.has(kid) && private_enc !== null && (retired_at === null || retired_at.getTime() > now),
    );
    // The very first one has nobody to wait for.
    const signing = able.find(({ created_at }) => created_at.getTime() + PUBLISH_MS <= now) ?? able.at(-1) ?? null;
    this.#set = { loaded_at: now, verifying, signing };
    return this.#set;
  }

  async #open({ kid, alg, private_enc, root_key_id }: SigningKeyRow): Promise<SigningKey> {
    const now = this.clock().getTime();
    if (this.#opened?.kid === kid && this.#opened.until > now) return this.#opened;
    if (private_enc === null || root_key_id === null) throw new Error('the signing key is retired');
    const opened = await this.kms.unwrap({ bytes: Buffer.from(private_enc), root_key_id }, signingKeyPlace(kid));
    const key = await imported(JSON.parse(opened.toString('utf8')) as JWK, alg);
    this.#opened = { kid, alg, key, until: now + PRIVATE_MS };
    return this.#opened;
  }

  async #create(): Promise<SigningKeyRow> {
    const alg = 'ES256';
    const pair = await generateKeyPair(alg, { extractable: true });
    const public_part = await exportJWK(pair.publicKey);
    const kid = await calculateJwkThumbprint(public_part);
    const secret = Buffer.from(JSON.stringify(await exportJWK(pair.privateKey)), 'utf8');
    const { bytes, root_key_id } = await this.kms.wrap(secret, signingKeyPlace(kid));
    const public_jwk = { ...public_part, kid, alg, use: 'sig' } as object;
    const data = { kid, alg, public_jwk, private_enc: new Uint8Array(bytes), root_key_id };
    return this.db.global((tx) => tx.signingKey.create({ data }));
  }
}

/** Where a wrapped private half belongs; at another place it opens no more. */
export const signingKeyPlace = (kid: string): string => `signing_key/${kid}`;

async function imported(jwk: JWK, alg: string): Promise<CryptoKey> {
  const key = await importJWK(jwk, alg);
  if (key instanceof Uint8Array) throw new Error('a signing key must be asymmetric');
  return key;
}

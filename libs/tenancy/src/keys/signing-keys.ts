import type { Database } from '@hcp/database';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose';
import { openWith, sealWith } from './cipher.js';
import type { Keyring } from './keyring.js';

/** Algorithms a token of ours may be signed with (SPEC T5). */
export const TOKEN_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;

/** A retired key still verifies for as long as the tokens it signed may live. */
const RETIRED_GRACE_MS = 20 * 60_000;
const CACHE_MS = 60_000;
/** A flood of unknown key ids must not become a flood of queries. */
const REFETCH_MS = 1_000;

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
  readonly signing: SigningKey | null;
}

/** The issuer's own keys: in the database, the private half sealed by the root key; every replica has the same set. */
export class SigningKeys {
  #set: KeySet | null = null;
  readonly #sealing_key: Buffer;

  constructor(
    private readonly db: Database,
    keyring: Keyring,
    private readonly clock: () => Date = () => new Date(),
  ) {
    this.#sealing_key = keyring.rootKeyFor('signing-keys');
  }

  /** The key to sign with: the newest that is not retired, made on first use. */
  async signing(): Promise<SigningKey> {
    let set = await this.#current(CACHE_MS);
    if (!set.signing) {
      await this.#create();
      set = await this.#current(0);
    }
    if (!set.signing) throw new Error('no signing key');
    return set.signing;
  }

  /** The key of this id from our own set alone; never one that a token brings along. */
  async verifying(kid: string): Promise<VerifyingKey | null> {
    const known = (await this.#current(CACHE_MS)).verifying.get(kid);
    return known ?? (await this.#current(REFETCH_MS)).verifying.get(kid) ?? null;
  }

  /** The public halves, as `/.well-known/jwks.json` answers them. */
  async jwks(): Promise<{ keys: JWK[] }> {
    await this.signing();
    const set = await this.#current(CACHE_MS);
    return { keys: [...set.verifying.values()].map((key) => key.public_jwk) };
  }

  async #current(max_age_ms: number): Promise<KeySet> {
    const now = this.clock().getTime();
    if (this.#set && now - this.#set.loaded_at < max_age_ms) return this.#set;
    const rows = await this.db.global((tx) =>
      tx.signingKey.findMany({ orderBy: [{ created_at: 'desc' }, { kid: 'asc' }] }),
    );
    const verifying = new Map<string, VerifyingKey>();
    let signing: SigningKey | null = null;
    for (const row of rows) {
      if (!(TOKEN_ALGORITHMS as readonly string[]).includes(row.alg)) continue;
      if (row.retired_at && row.retired_at.getTime() + RETIRED_GRACE_MS < now) continue;
      const public_jwk = row.public_jwk as JWK;
      verifying.set(row.kid, { kid: row.kid, alg: row.alg, key: await imported(public_jwk, row.alg), public_jwk });
      if (signing === null && row.retired_at === null) {
        const opened = openWith(this.#sealing_key, Buffer.from(row.private_enc), `signing_key/${row.kid}`);
        signing = {
          kid: row.kid,
          alg: row.alg,
          key: await imported(JSON.parse(opened.toString('utf8')) as JWK, row.alg),
        };
      }
    }
    this.#set = { loaded_at: now, verifying, signing };
    return this.#set;
  }

  async #create(): Promise<void> {
    const alg = 'ES256';
    const pair = await generateKeyPair(alg, { extractable: true });
    const public_part = await exportJWK(pair.publicKey);
    const kid = await calculateJwkThumbprint(public_part);
    const secret = Buffer.from(JSON.stringify(await exportJWK(pair.privateKey)), 'utf8');
    const private_enc = new Uint8Array(sealWith(this.#sealing_key, secret, `signing_key/${kid}`));
    const public_jwk = { ...public_part, kid, alg, use: 'sig' } as object;
    await this.db.global((tx) => tx.signingKey.create({ data: { kid, alg, public_jwk, private_enc } }));
  }
}

async function imported(jwk: JWK, alg: string): Promise<CryptoKey> {
  const key = await importJWK(jwk, alg);
  if (key instanceof Uint8Array) throw new Error('a signing key must be asymmetric');
  return key;
}

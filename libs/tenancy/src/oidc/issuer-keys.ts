import { importJWK, type CryptoKey, type JWK } from 'jose';
import type { GetJson } from './get-json.js';

/** Keys older than this are good for nothing, whether or not newer ones can be had: a removed key ends with them. */
const MAX_AGE_MS = 5 * 60_000;
/** At most one look at an issuer in this time, however many tokens with unknown keys come. */
const RETRY_MS = 5_000;
const MAX_KEYS = 50;
const MAX_ISSUERS = 1_000;

/** What a key must be to verify each algorithm. */
const SHAPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  RS256: { kty: 'RSA' },
  ES256: { kty: 'EC', crv: 'P-256' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
};

interface KeySet {
  keys: ReadonlyMap<string, JWK>;
  /** When the keys were read; -Infinity: never. */
  loaded_at: number;
  tried_at: number;
  loading: Promise<void> | null;
}

/** Public keys of issuers, by their discovery documents. Only issuers that some tenant registered may be asked for. */
export class IssuerKeys {
  readonly #sets = new Map<string, KeySet>();

  constructor(
    private readonly get_json: GetJson,
    private readonly clock: () => Date = () => new Date(),
  ) {}

  /** The issuer's key of this id, if it fits the algorithm; null too where the issuer cannot be asked. */
  async key(issuer: string, kid: string, alg: string): Promise<CryptoKey | null> {
    let set = await this.#current(issuer, MAX_AGE_MS);
    // A key that is not there may be new.
    if (!set.has(kid)) set = await this.#current(issuer, RETRY_MS);
    const jwk = set.get(kid);
    return jwk ? importFitting(jwk, alg) : null;
  }

  /** Whether the issuer answers with some key now. */
  async reachable(issuer: string): Promise<boolean> {
    return (await this.#current(issuer, RETRY_MS)).size > 0;
  }

  async #current(issuer: string, max_age_ms: number): Promise<ReadonlyMap<string, JWK>> {
    const set = this.#set(issuer);
    const age = this.#now() - set.loaded_at;
    if (age >= max_age_ms) {
      if (!set.loading && this.#now() - set.tried_at >= RETRY_MS) {
        set.tried_at = this.#now();
        set.loading = this.#load(issuer, set).finally(() => (set.loading = null));
      }
      await set.loading;
    }
    return this.#now() - set.loaded_at < MAX_AGE_MS ? set.keys : new Map();
  }

  #set(issuer: string): KeySet {
    const known = this.#sets.get(issuer);
    if (known) return known;
    if (this.#sets.size >= MAX_ISSUERS) this.#sets.clear();
    const set: KeySet = { keys: new Map(), loaded_at: -Infinity, tried_at: -Infinity, loading: null };
    this.#sets.set(issuer, set);
    return set;
  }

  async #load(issuer: string, set: KeySet): Promise<void> {
    const keys = await readKeys(this.get_json, issuer);
    if (!keys) return;
    set.keys = keys;
    set.loaded_at = this.#now();
  }

  #now(): number {
    return this.clock().getTime();
  }
}

/** OpenID Connect Discovery 1.0: the document must name the very issuer it was asked for. */
async function readKeys(get_json: GetJson, issuer: string): Promise<Map<string, JWK> | null> {
  const discovery = await get_json(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (!isRecord(discovery) || discovery.issuer !== issuer || typeof discovery.jwks_uri !== 'string') return null;
  const jwks = await get_json(discovery.jwks_uri);
  if (!isRecord(jwks) || !Array.isArray(jwks.keys) || jwks.keys.length > MAX_KEYS) return null;
  const keys = new Map<string, JWK>();
  const twice = new Set<string>();
  for (const key of jwks.keys as unknown[]) {
    if (!isRecord(key) || typeof key.kid !== 'string' || typeof key.kty !== 'string') continue;
    if (keys.has(key.kid)) twice.add(key.kid);
    keys.set(key.kid, key);
  }
  // Which of two is meant, nobody can tell.
  for (const kid of twice) keys.delete(kid);
  return keys;
}

async function importFitting(jwk: JWK, alg: string): Promise<CryptoKey | null> {
  const shape = SHAPES[alg];
  const fits =
    shape !== undefined &&
    Object.entries(shape).every(([name, value]) => (jwk as Record<string, unknown>)[name] === value) &&
    (jwk.use === undefined || jwk.use === 'sig') &&
    (jwk.key_ops === undefined || (Array.isArray(jwk.key_ops) && jwk.key_ops.includes('verify'))) &&
    (jwk.alg === undefined || jwk.alg === alg || (alg === 'EdDSA' && jwk.alg === 'Ed25519'));
  if (!fits) return null;
  try {
    // The public members alone, whatever else a document may hold.
    const { kty, crv, x, y, n, e } = jwk;
    const members = Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined);
    const key = await importJWK(Object.fromEntries(members) as JWK, alg);
    return key instanceof Uint8Array ? null : key;
  } catch {
    return null;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

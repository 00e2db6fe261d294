import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { addressPlace } from './address-place.js';
import { ProblemError } from './problem.js';

/** Failures allowed in a window, and its length in seconds. */
interface Limit {
  readonly points: number;
  readonly duration: number;
}

export interface RateLimitOptions {
  readonly login_per_pair: Limit;
  readonly login_per_email: Limit;
  readonly login_per_address: Limit;
  /** Of one key from one address. */
  readonly key_per_id: Limit;
  /** Of keys and tokens that are nobody's, from one address. */
  readonly key_per_address: Limit;
  readonly reset_per_email: Limit;
  readonly reset_per_address: Limit;
  readonly link_per_address: Limit;
  readonly client_per_address: Limit;
  readonly document_per_address: Limit;
}

export const DEFAULT_RATE_LIMITS: RateLimitOptions = {
  login_per_pair: { points: 10, duration: 15 * 60 },
  login_per_email: { points: 50, duration: 15 * 60 },
  login_per_address: { points: 100, duration: 15 * 60 },
  key_per_id: { points: 20, duration: 60 },
  key_per_address: { points: 600, duration: 60 },
  reset_per_email: { points: 5, duration: 3600 },
  reset_per_address: { points: 50, duration: 3600 },
  link_per_address: { points: 60, duration: 15 * 60 },
  client_per_address: { points: 30, duration: 3600 },
  document_per_address: { points: 30, duration: 15 * 60 },
};

/**
 * Counts failed sign-ins and failed keys (SPEC T5); what succeeds costs nothing. Counted per replica, in memory: N
 * replicas allow N times as much, which is still far too little to guess a password and keeps a flood off the database.
 * Nobody locks another out: a key is stopped by its own failures from its own address alone, and where a person has
 * signed in, only failures to be that person from there count. What stops a whole address stops guesses, whose answer it
 * replaces: a good key behind it, and who has signed in there before, pass.
 */
export class FailureLimits {
  readonly #login_pair: RateLimiterMemory;
  readonly #login_email: RateLimiterMemory;
  readonly #login_address: RateLimiterMemory;
  readonly #key_id: RateLimiterMemory;
  readonly #key_address: RateLimiterMemory;
  readonly #reset_email: RateLimiterMemory;
  readonly #reset_address: RateLimiterMemory;
  readonly #link_address: RateLimiterMemory;
  readonly #client_address: RateLimiterMemory;
  readonly #document_address: RateLimiterMemory;
  /** `<email>@<address>` where a password was right, the latest last. */
  readonly #known = new Set<string>();

  constructor(options: RateLimitOptions = DEFAULT_RATE_LIMITS) {
    this.#login_pair = new RateLimiterMemory({ keyPrefix: 'lp', ...options.login_per_pair });
    this.#login_email = new RateLimiterMemory({ keyPrefix: 'le', ...options.login_per_email });
    this.#login_address = new RateLimiterMemory({ keyPrefix: 'la', ...options.login_per_address });
    this.#key_id = new RateLimiterMemory({ keyPrefix: 'ki', ...options.key_per_id });
    this.#key_address = new RateLimiterMemory({ keyPrefix: 'ka', ...options.key_per_address });
    this.#reset_email = new RateLimiterMemory({ keyPrefix: 're', ...options.reset_per_email });
    this.#reset_address = new RateLimiterMemory({ keyPrefix: 'ra', ...options.reset_per_address });
    this.#link_address = new RateLimiterMemory({ keyPrefix: 'li', ...options.link_per_address });
    this.#client_address = new RateLimiterMemory({ keyPrefix: 'cl', ...options.client_per_address });
    this.#document_address = new RateLimiterMemory({ keyPrefix: 'do', ...options.document_per_address });
  }

  /**
   * Takes one attempt to sign in before the password is looked at, so that parallel guesses are counted too.
   * @throws ProblemError 429
   */
  async takeLogin(email: string, address: string): Promise<void> {
    const pair = pairOf(email, address);
    // Counted all the same, so that success gives back what was taken.
    const one = this.#known.has(pair) ? count : take;
    await one(this.#login_address, addressPlace(address));
    await take(this.#login_pair, pair);
    await one(this.#login_email, personOf(email));
  }

  /** Gives the attempt back: the password was right. */
  async loginSucceeded(email: string, address: string): Promise<void> {
    const pair = pairOf(email, address);
    this.#known.delete(pair);
    this.#known.add(pair);
    for (const oldest of this.#known) {
      if (this.#known.size <= MAX_KNOWN) break;
      this.#known.delete(oldest);
    }
    await this.#login_pair.delete(pair);
    await this.#login_email.reward(personOf(email), 1);
    await this.#login_address.reward(addressPlace(address), 1);
  }

  /**
   * Takes one request for a reset link, whether or not the person exists.
   * @throws ProblemError 429
   */
  async takeReset(email: string, address: string): Promise<void> {
    await take(this.#reset_address, addressPlace(address));
    await take(this.#reset_email, personOf(email));
  }

  /**
   * Takes one use of a link out of a mail: nobody guesses one, but each costs a password hash.
   * @throws ProblemError 429
   */
  async takeLink(address: string): Promise<void> {
    await take(this.#link_address, addressPlace(address));
  }

  /**
   * Takes one registration of an MCP client, which leaves a row.
   * @throws ProblemError 429
   */
  async takeClient(address: string): Promise<void> {
    await take(this.#client_address, addressPlace(address));
  }

  /**
   * Takes one reading of a client's document, which makes this API ask another host.
   * @throws ProblemError 429
   */
  async takeDocument(address: string): Promise<void> {
    await take(this.#document_address, addressPlace(address));
  }

  /**
   * Before the secret is looked at.
   * @throws ProblemError 429 when this key has failed too often from this address
   */
  async checkKey(key_id: string, address: string): Promise<void> {
    await check(this.#key_id, `${key_id}@${addressPlace(address)}`);
  }

  /**
   * After a key or token was refused: whoever sends many that are nobody's is told to wait, and nobody else.
   * @param key_id the key whose secret was guessed wrongly; null for every other failure, which tells nothing of a key
   * @throws ProblemError 429 when this address has failed too often
   */
  async keyFailed(key_id: string | null, address: string): Promise<void> {
    if (key_id !== null) await count(this.#key_id, `${key_id}@${addressPlace(address)}`);
    await take(this.#key_address, addressPlace(address));
  }
}

/** Remembered per replica; whoever is forgotten is as good as new. */
const MAX_KNOWN = 50_000;

/** As a sign-in looks the person up: another spelling of the same one is no other. */
const personOf = (email: string): string => email.trim().toLowerCase();

const pairOf = (email: string, address: string): string => `${personOf(email)}@${addressPlace(address)}`;

async function count(limiter: RateLimiterMemory, key: string): Promise<void> {
  await limiter.penalty(key, 1);
}

async function take(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key, 1);
  } catch (refused) {
    if (refused instanceof RateLimiterRes) throw tooMany(refused.msBeforeNext);
    throw refused;
  }
}

async function check(limiter: RateLimiterMemory, key: string): Promise<void> {
  const state = await limiter.get(key);
  if (state && state.consumedPoints >= limiter.points) throw tooMany(state.msBeforeNext);
}

function tooMany(wait_ms: number): ProblemError {
  const retry_after_ms = Math.max(1, Math.ceil(wait_ms));
  return new ProblemError(429, 'rate_limited', 'too many failures; wait before trying again', undefined, {
    retry_after_ms,
  });
}

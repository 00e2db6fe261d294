import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
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
  readonly key_per_id: Limit;
  readonly key_per_address: Limit;
  readonly reset_per_email: Limit;
  readonly reset_per_address: Limit;
  readonly link_per_address: Limit;
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
};

/**
 * Counts failed sign-ins and failed keys (SPEC T5); what succeeds costs nothing. Counted per replica, in memory: N
 * replicas allow N times as much, which is still far too little to guess a password and keeps a flood off the database.
 * Per key, and first of all per person, the count is joined with the address, so that nobody can easily lock another out
 * from elsewhere.
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

  constructor(options: RateLimitOptions = DEFAULT_RATE_LIMITS) {
    this.#login_pair = new RateLimiterMemory({ keyPrefix: 'lp', ...options.login_per_pair });
    this.#login_email = new RateLimiterMemory({ keyPrefix: 'le', ...options.login_per_email });
    this.#login_address = new RateLimiterMemory({ keyPrefix: 'la', ...options.login_per_address });
    this.#key_id = new RateLimiterMemory({ keyPrefix: 'ki', ...options.key_per_id });
    this.#key_address = new RateLimiterMemory({ keyPrefix: 'ka', ...options.key_per_address });
    this.#reset_email = new RateLimiterMemory({ keyPrefix: 're', ...options.reset_per_email });
    this.#reset_address = new RateLimiterMemory({ keyPrefix: 'ra', ...options.reset_per_address });
    this.#link_address = new RateLimiterMemory({ keyPrefix: 'li', ...options.link_per_address });
  }

  /**
   * Takes one attempt to sign in before the password is looked at, so that parallel guesses are counted too.
   * @throws ProblemError 429
   */
  async takeLogin(email: string, address: string): Promise<void> {
    await take(this.#login_address, address);
    await take(this.#login_pair, `${email.toLowerCase()}@${address}`);
    await take(this.#login_email, email.toLowerCase());
  }

  /** Gives the attempt back: the password was right. */
  async loginSucceeded(email: string, address: string): Promise<void> {
    await this.#login_pair.delete(`${email.toLowerCase()}@${address}`);
    await this.#login_email.reward(email.toLowerCase(), 1);
    await this.#login_address.reward(address, 1);
  }

  /**
   * Takes one request for a reset link, whether or not the person exists.
   * @throws ProblemError 429
   */
  async takeReset(email: string, address: string): Promise<void> {
    await take(this.#reset_address, address);
    await take(this.#reset_email, email.toLowerCase());
  }

  /**
   * Takes one use of a link out of a mail: nobody guesses one, but each costs a password hash.
   * @throws ProblemError 429
   */
  async takeLink(address: string): Promise<void> {
    await take(this.#link_address, address);
  }

  /**
   * @param key_id null where the text is no key at all
   * @throws ProblemError 429 when this key, or this address, has failed too often
   */
  async checkKey(key_id: string | null, address: string): Promise<void> {
    await check(this.#key_address, address);
    if (key_id !== null) await check(this.#key_id, `${key_id}@${address}`);
  }

  /** @param key_id the key whose secret was guessed wrongly; null for every other failure, which tells nothing of a key */
  async keyFailed(key_id: string | null, address: string): Promise<void> {
    await this.#key_address.penalty(address, 1);
    if (key_id !== null) await this.#key_id.penalty(`${key_id}@${address}`, 1);
  }
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

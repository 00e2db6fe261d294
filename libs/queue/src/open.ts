import type { Handle } from './jobs.js';
import type { Bus, ConsumerOptions, RunConsumer, RunQueue } from './port.js';
import { PostgresBus } from './postgres/bus.js';
import { postgresConsumer, postgresQueue } from './postgres/queue.js';
import { RedisBus } from './redis/bus.js';
import { redisConsumer, redisQueue } from './redis/queue.js';

/** Where the queue and the bus live: Redis where its address is given, else PostgreSQL (SPEC R1). */
export interface Backend {
  /** `redis://` or, over TLS, `rediss://`; with user, password and database as far as the server wants them. */
  readonly redis_url?: string | undefined;
  /** Connection string of the role that owns the queue's schema; not used where there is a Redis. */
  readonly postgres_url?: string | undefined;
  /** Hears of lost connections and the like. No error that comes here holds an argument or a password. */
  readonly onError: (error: Error) => void;
}

/** Connects in the background. */
export function openQueue(backend: Backend): RunQueue {
  return backend.redis_url
    ? redisQueue(backend.redis_url, backend.onError)
    : postgresQueue(postgresOf(backend), backend.onError);
}

/**
 * Takes jobs and calls `handle` for each, at least once. What `handle` throws is reported, never retried by the queue.
 */
export function openConsumer(
  backend: Backend,
  handle: Handle,
  { concurrency }: Pick<ConsumerOptions, 'concurrency'>,
): RunConsumer {
  const options = { concurrency, onError: backend.onError };
  return backend.redis_url
    ? redisConsumer(backend.redis_url, handle, options)
    : postgresConsumer(postgresOf(backend), handle, options);
}

/** Connects in the background, to listen with the first subscription. */
export function openBus(backend: Backend): Bus {
  return backend.redis_url
    ? new RedisBus(backend.redis_url, backend.onError)
    : new PostgresBus(postgresOf(backend), backend.onError);
}

function postgresOf({ postgres_url }: Backend): string {
  if (postgres_url) return postgres_url;
  throw new Error('neither a Redis nor a PostgreSQL for the queue');
}

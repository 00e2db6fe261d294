import { Redis, type RedisOptions } from 'ioredis';
import { within } from '../deadline.js';

/** The longest that a request waits for Redis, connecting included. */
export const COMMAND_MS = 2000;

/** Never gives up; quick enough that nobody notices a restart for long. */
const common = {
  retryStrategy: (times: number) => Math.min(100 * times, 1000) + Math.random() * 100,
  connectTimeout: 5000,
} satisfies RedisOptions;

/**
 * A connection that only says what it has to say while it can. Nothing waits inside the client, neither for a connection
 * nor to be said again after one was lost, so a long outage piles nothing up; a server that takes bytes and answers
 * nothing is given up with all that it was asked.
 */
export function promptConnection(url: string): Redis {
  return new Redis(url, {
    ...common,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // What was subscribed is subscribed again by hand: the client would leave a refusal to nobody.
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    socketTimeout: 2 * COMMAND_MS,
  });
}

/** A consumer's connection and the copies that the queue makes of it for commands that block. */
export class PatientConnection extends Redis {
  private readonly copies: Redis[] = [];

  /** What the consumer asks waits for the server: it has nothing else to do, and asks a handful of things at a time. */
  constructor(url: string) {
    super(url, {
      ...common,
      maxRetriesPerRequest: null,
      // Longer than the longest blocking command.
      socketTimeout: 15_000,
    });
  }

  override duplicate(override?: Partial<RedisOptions>): Redis {
    const copy = super.duplicate(override);
    this.copies.push(copy);
    return copy;
  }

  /** Cuts every connection, whatever is still waiting. */
  cut(): void {
    for (const one of [this, ...this.copies]) one.disconnect();
  }
}

const arriving = new WeakMap<Redis, Promise<void>>();

/** Waits for a connection that is being made, within the limit. */
export async function connected(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return;
  // One listener for all who wait.
  let ready = arriving.get(redis);
  if (!ready) {
    ready = new Promise((resolve) => {
      redis.once('ready', () => {
        arriving.delete(redis);
        resolve();
      });
    });
    arriving.set(redis, ready);
  }
  await within(COMMAND_MS, ready);
}

import type { Redis } from 'ioredis';
import { within } from '../deadline.js';
import { Listeners } from '../listeners.js';

import type { Bus, BusMessages, BusTopic } from '../port.js';
import { COMMAND_MS, connected, promptConnection } from './connection.js';
import { plainError, quietly } from './errors.js';

const CHANNEL = 'hcp:bus';
/** A connection that only listens learns of a dead server by asking. */
const ASK_MS = 5000;

/** The bus on Redis pub/sub. A lost connection is opened again; what was sent meanwhile is lost, as the port says. */
export class RedisBus implements Bus {
  private readonly listeners = new Listeners();
  private readonly report: (error: unknown) => void;
  private readonly publisher: Redis;
  private subscriber: Redis | null = null;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly url: string,
    onError: (error: Error) => void,
  ) {
    this.report = quietly(onError);
    this.publisher = this.open();
  }

  async publish<T extends BusTopic>(topic: T, message: BusMessages[T]): Promise<void> {
    try {
      await connected(this.publisher);
      await within(COMMAND_MS, this.publisher.publish(CHANNEL, JSON.stringify({ topic, message })));
    } catch (error) {
      throw plainError(error);
    }
  }

  async subscribe<T extends BusTopic>(topic: T, listener: (message: BusMessages[T]) => void): Promise<() => void> {
    const end = this.listeners.add(topic, listener);
    try {
      this.subscriber ??= this.listen();
      await connected(this.subscriber);
      // Said again by each subscriber, which costs nothing and whose answer means that messages arrive.
      await within(COMMAND_MS, this.subscriber.subscribe(CHANNEL));
      return end;
    } catch (error) {
      end();
      throw plainError(error);
    }
  }

  close(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    this.listeners.clear();
    this.subscriber?.disconnect();
    this.publisher.disconnect();
    return Promise.resolve();
  }

  private open(): Redis {
    return promptConnection(this.url).on('error', this.report);
  }

  private listen(): Redis {
    const subscriber = this.open();
    subscriber.on('message', (_channel: string, payload: string) => this.listeners.deliver(payload));
    subscriber.on('ready', () => void subscriber.subscribe(CHANNEL).catch(this.report));
    this.timer = setInterval(() => {
      if (subscriber.status === 'ready') subscriber.ping().catch(this.report);
    }, ASK_MS);
    this.timer.unref();
    return subscriber;
  }
}

import { busMessageSchema } from './messages.js';
import type { BusMessages, BusTopic } from './port.js';

type Listener = (message: never) => void;

/** Who listens to a bus of this process, by topic. */
export class Listeners {
  private readonly open = new Map<BusTopic, Set<Listener>>();

  /** @returns ends it */
  add<T extends BusTopic>(topic: T, listener: (message: BusMessages[T]) => void): () => void {
    const set = this.open.get(topic) ?? new Set();
    set.add(listener);
    this.open.set(topic, set);
    return () => {
      set.delete(listener);
    };
  }

  /** What another process sent; whatever is no message is passed over. */
  deliver(payload: string | undefined): void {
    let value: unknown;
    try {
      value = JSON.parse(payload ?? '');
    } catch {
      return;
    }
    const parsed = busMessageSchema.safeParse(value);
    if (!parsed.success) return;
    const { topic, message } = parsed.data;
    // The schema has checked that the message is one of the topic.
    for (const listener of this.open.get(topic) ?? []) listener(message as never);
  }

  clear(): void {
    this.open.clear();
  }
}

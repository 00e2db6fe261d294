import type { Bus } from '@hcp/queue';

const POLL_MS = 1000;

/**
 * Waits for runs to change. The bus wakes a waiter at once; since a message can be lost, every waiter also looks at the
 * run row each second.
 */
export class RunWaiter {
  private readonly watches = new Watches();
  /** Those who read the output too: whoever waits for the end alone is not woken by each line. */
  private readonly readers = new Watches();
  private unsubscribe: (() => void)[] = [];

  constructor(private readonly bus: Bus) {}

  async start(): Promise<void> {
    const changed = ({ run_id }: { run_id: string }): void => {
      this.watches.changed(run_id);
      this.readers.changed(run_id);
    };
    this.unsubscribe.push(
      await this.bus.subscribe('run.changed', changed),
      await this.bus.subscribe('run.output', ({ run_id }) => this.readers.changed(run_id)),
    );
  }

  stop(): void {
    for (const end of this.unsubscribe) end();
  }

  /** Begins to listen; whoever is to start the run watches first, so that no change is missed. End it after use. */
  watch(run_id: string): Watch {
    return this.watches.add(run_id);
  }

  /** As `watch`, and hears of output as well. */
  follow(run_id: string): Watch {
    return this.readers.add(run_id);
  }
}

/** Listeners by what they wait for. */
export class Watches {
  private readonly open = new Map<string, Set<Watch>>();

  /** Begins to listen; end it after use. */
  add(key: string): Watch {
    const set = this.open.get(key) ?? new Set();
    const watch = new Watch(() => {
      set.delete(watch);
      if (set.size === 0) this.open.delete(key);
    });
    set.add(watch);
    this.open.set(key, set);
    return watch;
  }

  changed(key: string): void {
    for (const watch of this.open.get(key) ?? []) watch.changed();
  }
}

/** One listener to one run. */
export class Watch {
  private dirty = false;
  private wake: () => void = () => undefined;

  constructor(readonly end: () => void) {}

  /** Makes the next look happen at once. */
  changed(): void {
    this.dirty = true;
    this.wake();
  }

  /** Until the next change, but no longer than whoever waits goes without a look. */
  async wait(): Promise<void> {
    if (!this.dirty) await this.sleep(POLL_MS);
    this.dirty = false;
  }

  /** Calls `look` after every change until it answers something but null, or `wait_ms` is over (then null). */
  async until<T>(wait_ms: number, look: () => Promise<T | null>): Promise<T | null> {
    const deadline = Date.now() + wait_ms;
    for (;;) {
      const remaining = deadline - Date.now();
      if (remaining <= 0) return null;
      if (!this.dirty) await this.sleep(Math.min(POLL_MS, remaining));
      this.dirty = false;
      const found = await look();
      if (found !== null) return found;
    }
  }

  private sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

import type { Bus } from '@hcp/queue';

const POLL_MS = 1000;

/**
 * Waits for runs to change. The bus wakes a waiter at once; since a message can be lost, every waiter also looks at the
 * run row each second.
 */
export class RunWaiter {
  private readonly watches = new Map<string, Set<Watch>>();
  private unsubscribe: (() => void) | null = null;

  constructor(private readonly bus: Bus) {}

  async start(): Promise<void> {
    this.unsubscribe = await this.bus.subscribe('run.changed', ({ run_id }) => {
      for (const watch of this.watches.get(run_id) ?? []) watch.changed();
    });
  }

  stop(): void {
    this.unsubscribe?.();
  }

  /** Begins to listen; whoever is to start the run watches first, so that no change is missed. End it after use. */
  watch(run_id: string): Watch {
    const set = this.watches.get(run_id) ?? new Set();
    const watch = new Watch(() => {
      set.delete(watch);
      if (set.size === 0) this.watches.delete(run_id);
    });
    set.add(watch);
    this.watches.set(run_id, set);
    return watch;
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

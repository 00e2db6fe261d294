import type { Bus } from '@hcp/queue';

const POLL_MS = 1000;

/**
 * Waits for runs to change. The bus wakes a waiter at once; since a message can be lost, every waiter also looks at the
 * run row each second.
 */
export class RunWaiter {
  private readonly waiting = new Map<string, Set<() => void>>();
  private unsubscribe: (() => void) | null = null;

  constructor(private readonly bus: Bus) {}

  async start(): Promise<void> {
    this.unsubscribe = await this.bus.subscribe('run.changed', ({ run_id }) => {
      for (const wake of this.waiting.get(run_id) ?? []) wake();
    });
  }

  stop(): void {
    this.unsubscribe?.();
  }

  /** Calls `look` until it answers something but null, or `wait_ms` is over (then null). */
  async until<T>(run_id: string, wait_ms: number, look: () => Promise<T | null>): Promise<T | null> {
    const deadline = Date.now() + wait_ms;
    let changed = false;
    let wake: () => void = () => undefined;
    const listener = () => {
      changed = true;
      wake();
    };
    const set = this.waiting.get(run_id) ?? new Set();
    set.add(listener);
    this.waiting.set(run_id, set);
    try {
      for (;;) {
        const remaining = deadline - Date.now();
        if (remaining <= 0) return null;
        if (!changed) {
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, Math.min(POLL_MS, remaining));
            wake = () => {
              clearTimeout(timer);
              resolve();
            };
          });
        }
        changed = false;
        const found = await look();
        if (found !== null) return found;
      }
    } finally {
      set.delete(listener);
      if (set.size === 0) this.waiting.delete(run_id);
    }
  }
}

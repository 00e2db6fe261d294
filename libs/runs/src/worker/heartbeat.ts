import type { Database, Run } from '@hcp/database';
import type { Bus } from '@hcp/queue';
import { renew } from './claim.js';

export type StopReason = 'cancelled' | 'lease_lost' | 'shutdown';

/**
 * Keeps an attempt's lease and stops the attempt when someone cancels it or the lease is gone: a lost database counts
 * as a lost lease once the lease would have run out, because another may have decided over the run by then.
 */
export class Heartbeat {
  readonly controller = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private unsubscribe: (() => void) | null = null;
  private renewed = Date.now();
  private ended = false;

  constructor(
    private readonly deps: { db: Database; bus: Bus; lease_ms: number; onError: (error: Error) => void },
    private readonly run: Run,
    private readonly attempt_id: string,
  ) {}

  /** Why the attempt was stopped, if it was. */
  get reason(): StopReason | null {
    return this.controller.signal.aborted ? (this.controller.signal.reason as StopReason) : null;
  }

  async start(): Promise<void> {
    this.unsubscribe = await this.deps.bus
      .subscribe('run.cancel', ({ run_id }) => {
        if (run_id === this.run.id) this.stopRun('cancelled');
      })
      .catch((error: unknown) => {
        this.deps.onError(error as Error);
        return null;
      });
    this.schedule();
  }

  stopRun(reason: StopReason): void {
    if (!this.controller.signal.aborted) this.controller.abort(reason);
  }

  end(): void {
    this.ended = true;
    if (this.timer) clearTimeout(this.timer);
    this.unsubscribe?.();
  }

  private schedule(): void {
    if (this.ended) return;
    this.timer = setTimeout(() => void this.beat(), Math.min(2000, this.deps.lease_ms / 5));
  }

  private async beat(): Promise<void> {
    const { db, lease_ms, onError } = this.deps;
    try {
      const sent = Date.now();
      const renewal = await db.tenant(this.run.tenant_id, (tx) =>
        renew(tx, { run: this.run, attempt_id: this.attempt_id, lease_ms }),
      );
      if (!renewal.held) this.stopRun('lease_lost');
      else if (renewal.cancel_requested) this.stopRun('cancelled');
      this.renewed = sent;
    } catch (error) {
      onError(error as Error);
      if (Date.now() - this.renewed > lease_ms) this.stopRun('lease_lost');
    }
    this.schedule();
  }
}

import type { Database, Run } from '@hcp/database';
import type { Bus } from '@hcp/queue';
import { renew, type AtWork } from './claim.js';

export type StopReason = 'cancelled' | 'lease_lost' | 'shutdown';

/**
 * Keeps an attempt's lease and stops the attempt when someone cancels it or the lease is gone: a lost database counts
 * as a lost lease once the lease would have run out, because another may have decided over the run by then.
 */
export class Heartbeat {
  readonly controller = new AbortController();
  /** Packs of the steps that are under way: a stop of one of them stops the attempt as one of its own pack does. */
  readonly at_work = new Set<AtWork>();
  private timer: NodeJS.Timeout | null = null;
  private unsubscribe: (() => void) | null = null;
  /** Runs out with the lease, whatever the database does: it may neither answer nor fail. */
  private lease: NodeJS.Timeout | null = null;
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
    this.keepUntil(Date.now() + this.deps.lease_ms);
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
    if (this.lease) clearTimeout(this.lease);
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
        renew(tx, { run: this.run, attempt_id: this.attempt_id, lease_ms, at_work: [...this.at_work] }),
      );
      if (!renewal.held) this.stopRun('lease_lost');
      else if (renewal.cancel_requested) this.stopRun('cancelled');
      else this.keepUntil(sent + lease_ms);
    } catch (error) {
      onError(error as Error);
    }
    this.schedule();
  }

  private keepUntil(at: number): void {
    if (this.lease) clearTimeout(this.lease);
    if (!this.ended) this.lease = setTimeout(() => this.stopRun('lease_lost'), at - Date.now());
  }
}

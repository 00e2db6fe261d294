import type { Database } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';

const BEAT_MS = 5000;
/** A worker not seen for this long is taken for dead and its row is removed. */
const DEAD_MS = 60_000;

export interface Facts {
  readonly sandbox_driver: string | null;
  readonly sandbox_detail: string;
  readonly concurrency: number;
}

/** Tells the other processes that this worker is there and what it can do (`/readyz`, `hcp.doctor`). */
export class Presence {
  readonly id = uuidv7();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly db: Database,
    private readonly facts: Facts,
    private readonly onError: (error: Error) => void,
  ) {}

  async start(): Promise<void> {
    await this.beat();
    this.timer = setInterval(() => void this.beat().catch(this.onError), BEAT_MS);
  }

  async stop(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.db.global((tx) => tx.worker.deleteMany({ where: { id: this.id } })).catch(this.onError);
  }

  private async beat(): Promise<void> {
    const now = new Date();
    await this.db.global(async (tx) => {
      await tx.worker.upsert({
        where: { id: this.id },
        create: { id: this.id, ...this.facts },
        update: { ...this.facts, seen_at: now },
      });
      await tx.worker.deleteMany({ where: { seen_at: { lt: new Date(now.getTime() - DEAD_MS) } } });
    });
  }
}

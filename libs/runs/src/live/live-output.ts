import { sql, type Database, type Run } from '@hcp/database';
import type { Bus } from '@hcp/queue';
import type { OutputStream } from '@hcp/sandbox';
import type { TenantKeys } from '../ports.js';
import { sealPiece } from '../sealing.js';
import { PendingOutput, type Piece } from './pending-output.js';

/** How long output gathers before it is written: a command that ends sooner writes nothing. */
const GATHER_MS = 250;
/** Characters that one writing takes at most, so that a run writes at most four times as many each second. */
export const MAX_PIECE = 65_536;
/** The pause after one that failed. */
const AGAIN_MS = 2000;

export interface LiveDeps {
  readonly db: Database;
  readonly keys: TenantKeys;
  readonly bus: Bus;
  readonly onError: (error: Error) => void;
}

/**
 * Writes down what a command prints while it runs, for those who follow it at any replica (SPEC R5; docs/adr/0030). It
 * never waits on anybody: what is printed faster than it is written follows later, or with the end of the run. The texts
 * are those that the sandbox keeps for the outcome anyway, so that waiting ones take no memory of their own.
 */
export class LiveOutput {
  readonly #pending = new PendingOutput();
  /** What is being written; stays until it is. */
  #unsent: Piece[] = [];
  #seq = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;
  #over = false;
  #wrote = false;

  constructor(
    private readonly deps: LiveDeps,
    private readonly run: Pick<Run, 'tenant_id' | 'id'>,
    private readonly attempt_id: string,
  ) {}

  readonly take = (stream: OutputStream, text: string): void => {
    if (this.#over) return;
    this.#pending.add(stream, text);
    this.#schedule(GATHER_MS);
  };

  /** Writes no more. Answers, once that is certain, whether there may be rows that the outcome replaces. */
  async end(): Promise<boolean> {
    this.#over = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#writing;
    return this.#wrote;
  }

  #schedule(ms: number): void {
    if (this.#over || this.#timer || this.#writing) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      let pause = GATHER_MS;
      this.#writing = this.#write()
        .catch((error: unknown) => {
          pause = AGAIN_MS;
          this.deps.onError(error as Error);
        })
        .then(() => {
          this.#writing = null;
          if (this.#unsent.length > 0 || !this.#pending.empty) this.#schedule(pause);
        });
    }, ms);
  }

  async #write(): Promise<void> {
    const { db, keys, bus, onError } = this.deps;
    const { tenant_id, id: run_id } = this.run;
    if (this.#unsent.length === 0) this.#unsent = this.#pending.take(MAX_PIECE);
    const sealer = await keys(tenant_id);
    const rows = this.#unsent.map((piece, index) => {
      const seq = this.#seq + index + 1;
      return { seq, sealed: sealPiece(sealer, { run_id, attempt_id: this.attempt_id, seq }, piece) };
    });
    this.#wrote = true;
    const held = await db.tenant(tenant_id, (tx) =>
      // Once more what may have been written already changes nothing; nor does an attempt that was given up on.
      tx.$queryRaw<unknown[]>(sql`
        with held as (
          select tenant_id, id, attempt_id from runs
          where tenant_id = ${tenant_id}::uuid and id = ${run_id}::uuid and attempt_id = ${this.attempt_id}::uuid
            and status in ('starting', 'running')
        ), written as (
          insert into run_output (tenant_id, run_id, attempt_id, seq, sealed)
          select held.tenant_id, held.id, held.attempt_id, new.seq, new.sealed
          from held, unnest(${rows.map(({ seq }) => seq)}::int[], ${rows.map(({ sealed }) => sealed)}::bytea[])
            as new (seq, sealed)
          on conflict do nothing
        ) select 1 from held`),
    );
    if (held.length === 0) {
      this.#over = true;
      this.#unsent = [];
      return;
    }
    this.#seq += rows.length;
    this.#unsent = [];
    await bus.publish('run.output', { tenant_id, run_id }).catch(onError);
  }
}

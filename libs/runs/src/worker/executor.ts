import { KeysUnavailable } from '@hcp/core';
import type { RunJob, RunQueue, Bus } from '@hcp/queue';
import type { Run } from '@hcp/database';
import type { Adapters } from '../adapters/adapter.js';
import type { RunsConfig } from '../config.js';
import type { SignWorkload } from '../ports.js';
import type { Refresher } from '@hcp/bindings';
import { endingBefore, mint, type Lease, type Mint } from '../mint.js';
import { refused, type Outcome } from '../outcome.js';
import { Renewals, UNREADABLE } from '../renewals.js';
import { markRunning } from './claim.js';
import { runSteps } from '../steps/run-steps.js';
import { LiveOutput } from '../live/live-output.js';
import { complete, type Held } from './complete.js';
import { Heartbeat } from './heartbeat.js';
import { prepare, type PrepareDeps, type Prepared } from './prepare.js';

export interface ExecutorDeps extends Omit<PrepareDeps, 'lease_ms' | 'run_timeout_ms'> {
  readonly queue: RunQueue;
  readonly bus: Bus;
  /** Null where this process cannot sign tokens of the issuer (SPEC B2). */
  readonly workload: SignWorkload | null;
  readonly refresher: Refresher;
  readonly adapters: Adapters;
  readonly config: RunsConfig;
  readonly onError: (error: Error) => void;
}

type Claimed = Extract<Prepared, { kind: 'claimed' }>;

const AGAIN_MS = 150;
const MAX_AGAIN_MS = 2000;
/** How often a finished run tries to write down its end before it is left to the reaper. */
const COMPLETION_TRIES = 12;

/** Takes a run from the queue to its end. A job may be delivered again and again: the fence lets one through. */
export class RunExecutor {
  private readonly running = new Set<Heartbeat>();

  constructor(private readonly deps: ExecutorDeps) {}

  async execute(job: RunJob): Promise<void> {
    const prepared = await this.prepare(job).catch((error: unknown) => {
      if (!(error instanceof KeysUnavailable)) throw error;
      this.deps.onError(error);
      return { kind: 'again' } as const;
    });
    switch (prepared.kind) {
      case 'gone':
        return;
      case 'again':
        return this.putBack(job);
      case 'refused':
        return this.finish(prepared.run, { attempt_id: null, status: 'queued' }, prepared.outcome);
      case 'claimed':
        return this.attempt(prepared);
    }
  }

  /** Decides, and where a credential is to be renewed first, renews it and decides again. */
  private async prepare(job: RunJob): Promise<Exclude<Prepared, { kind: 'renew' }>> {
    const { lease_ms, run_timeout_ms } = this.deps.config;
    const deps = { ...this.deps, lease_ms, run_timeout_ms };
    const renewals = new Renewals(this.deps);
    for (;;) {
      const prepared = await prepare(deps, job);
      if (prepared.kind !== 'renew') return prepared;
      const denial = await renewals.renew(prepared.renewal);
      if (denial) return { kind: 'refused', run: prepared.run, outcome: { status: 'failed', ...denial, ran: false } };
    }
  }

  /** Waits longer with every turn, so that a crowd before one workspace does not keep the queue busy. */
  private putBack({ tenant_id, run_id, turn = 0 }: RunJob): Promise<void> {
    const delay_ms = Math.min(MAX_AGAIN_MS, AGAIN_MS * 1.3 ** turn);
    return this.deps.queue.enqueue({ tenant_id, run_id, turn: turn + 1 }, { delay_ms: Math.round(delay_ms) });
  }

  /** Stops every run in hand; used when a drain took too long. */
  stopAll(): void {
    for (const heartbeat of this.running) heartbeat.stopRun('shutdown');
  }

  private async attempt(claimed: Claimed): Promise<void> {
    const { db, bus, config, onError } = this.deps;
    const { run, attempt_id } = claimed;
    const heartbeat = new Heartbeat({ db, bus, lease_ms: config.lease_ms, onError }, run, attempt_id);
    const live = new LiveOutput(this.deps, run, attempt_id);
    this.running.add(heartbeat);
    try {
      await heartbeat.start();
      const minted = await this.mint(claimed);
      const outcome = minted.ok
        ? await this.runAdapter(claimed, minted.lease, heartbeat, live)
        : refused('mint_failed', minted.reason, minted.hint);
      const shown = await live.end();
      // Another has decided over this run: nothing that is written now could be true.
      if (heartbeat.reason === 'lease_lost') return;
      const stopped = heartbeat.reason === 'shutdown' && outcome.status === 'cancelled';
      const binding = minted.ok ? minted.lease.identity : run.binding;
      await this.finish({ ...run, binding }, { attempt_id, shown }, stopped ? { ...outcome, ...SHUTDOWN } : outcome);
    } finally {
      await live.end();
      heartbeat.end();
      this.running.delete(heartbeat);
    }
  }

  /** Step 5. A credential that cannot be read refuses the run, whatever the reason. */
  private async mint({ caller, plan, run }: Claimed): Promise<Mint> {
    try {
      return await mint(this.deps, caller, plan, run);
    } catch (error) {
      this.deps.onError(error as Error);
      return UNREADABLE;
    }
  }

  /** Step 6. */
  private async runAdapter(
    claimed: Claimed,
    lease: Lease,
    heartbeat: Heartbeat,
    { take: onOutput }: LiveOutput,
  ): Promise<Outcome> {
    const { db, adapters, onError } = this.deps;
    const { at_work } = heartbeat;
    const { signal } = heartbeat.controller;
    const { attempt_id, plan, request, covers } = claimed;
    const run = endingBefore(lease, claimed.run);
    void db.tenant(run.tenant_id, (tx) => markRunning(tx, run, attempt_id, lease.identity)).catch(onError);
    const { kind } = plan.pack.manifest;
    try {
      if (plan.steps.length === 0) return await adapters[kind].run({ ...claimed, run, lease, signal, onOutput });
      const { pack_id } = plan.pack.manifest;
      const parent = { run, pack_id, args: plan.args, request, place: '', covers, at_work };
      return await runSteps(this.deps, parent, plan.steps, signal);
    } catch (error) {
      onError(error as Error);
      return INTERNAL;
    }
  }

  /**
   * Writes the end down, again and again if it must: until then the run stays as it is, and the reaper calls it
   * unknown (SPEC E3 step 7).
   */
  private async finish(run: Run, held: Held, outcome: Outcome): Promise<void> {
    const { bus, onError } = this.deps;
    for (let tries = 1; ; tries += 1) {
      try {
        await complete(this.deps, run, held, outcome);
        break;
      } catch (error) {
        onError(error as Error);
        if (tries === COMPLETION_TRIES) return;
        await new Promise((resolve) => setTimeout(resolve, Math.min(5000, 50 * 2 ** tries)));
      }
    }
    await bus.publish('run.changed', { tenant_id: run.tenant_id, run_id: run.id }).catch(onError);
  }
}

const INTERNAL = refused('internal', 'the command could not be run', 'try again, and tell an operator if it stays so');

const SHUTDOWN = {
  status: 'unknown',
  code: 'outcome_unknown',
  error: 'the worker was shut down before the command ended',
  hint: 'look at what the command changes before you send it again',
} as const;

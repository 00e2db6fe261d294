import { decide, type Caller, type Decision, type Denial, type Plan, type SchemaCheck } from '@hcp/core';
import type { Database, Run } from '@hcp/database';
import type { Bus, RunJob, RunQueue } from '@hcp/queue';
import { v7 as uuidv7 } from 'uuid';
import type { Adapter } from '../adapters/adapter.js';
import type { RunsConfig } from '../config.js';
import { CANCELLED } from '../cancel.js';
import { isTerminal } from '../envelope.js';
import { mint } from '../mint.js';
import { refused, type Outcome } from '../outcome.js';
import type { LoadFacts, LoadPinned, ReloadCaller, TenantKeys } from '../ports.js';
import { openArgs } from '../sealing.js';
import type { Workspaces } from '../workspaces.js';
import { claim, ClaimLost, markRunning, type Claimed } from './claim.js';
import { complete } from './complete.js';
import { Heartbeat } from './heartbeat.js';

export interface ExecutorDeps {
  readonly db: Database;
  readonly keys: TenantKeys;
  readonly facts: LoadFacts;
  readonly pinned: LoadPinned;
  readonly caller: ReloadCaller;
  readonly check: SchemaCheck;
  readonly queue: RunQueue;
  readonly bus: Bus;
  readonly workspaces: Workspaces;
  readonly adapters: { readonly wrap: Adapter; readonly composite: Adapter };
  readonly config: RunsConfig;
  readonly onError: (error: Error) => void;
}

const BUSY_DELAY_MS = 150;
/** How long a finished run tries to write down its end before it is left to the reaper. */
const COMPLETION_TRIES = 12;

type Decided =
  | { readonly ok: true; readonly plan: Plan; readonly caller: Caller }
  | { readonly ok: false; readonly denial: Denial };

/** Takes a run from the queue to its end. A job may be delivered again and again: the fence lets one through. */
export class RunExecutor {
  private readonly running = new Set<Heartbeat>();

  constructor(private readonly deps: ExecutorDeps) {}

  async execute(job: RunJob): Promise<void> {
    const run = await this.load(job);
    if (!run || run.status !== 'queued') return;
    const queued = { attempt_id: null, status: 'queued' } as const;
    if (run.cancel_requested_at) return this.finish(run, queued, CANCELLED);
    const decided = await this.decideAgain(run);
    if (!decided.ok) return this.finish(run, queued, { status: 'failed', ...decided.denial, ran: false });
    const { plan, caller } = decided;
    const workspace = this.deps.workspaces.of(run, plan.workspace_mode);
    const attempt_id = uuidv7();
    const claimed = await this.claim(run, attempt_id, caller.settings_epoch, workspace?.key ?? null);
    if (claimed === 'workspace_busy') return this.deps.queue.enqueue(job, { delay_ms: BUSY_DELAY_MS });
    // Lost for good, or only because settings moved in between: the next look tells.
    if (claimed === 'lost') return this.again(job, run);
    await this.attempt(run, attempt_id, decided, workspace);
  }

  /** Stops every run in hand; used when a drain took too long. */
  stopAll(): void {
    for (const heartbeat of this.running) heartbeat.stopRun('shutdown');
  }

  private async attempt(
    run: Run,
    attempt_id: string,
    { plan, caller }: Extract<Decided, { ok: true }>,
    workspace: ReturnType<Workspaces['of']>,
  ): Promise<void> {
    const { db, bus, config, adapters, onError } = this.deps;
    const heartbeat = new Heartbeat({ db, bus, lease_ms: config.lease_ms, onError }, run, attempt_id);
    this.running.add(heartbeat);
    try {
      await heartbeat.start();
      const minted = mint(plan);
      let outcome: Outcome;
      if (!minted.ok) {
        outcome = refused('mint_failed', minted.reason, 'connect the service for this pack, then send the call again');
      } else {
        void db.tenant(run.tenant_id, (tx) => markRunning(tx, run, attempt_id)).catch(onError);
        const adapter = plan.pack.manifest.kind === 'composite' ? adapters.composite : adapters.wrap;
        outcome = await adapter
          .run({ run, plan, caller, lease: minted.lease, workspace, signal: heartbeat.controller.signal })
          .catch((error: unknown) => {
            onError(error as Error);
            return INTERNAL;
          });
      }
      if (heartbeat.reason === 'lease_lost') return;
      if (heartbeat.reason === 'shutdown' && outcome.status === 'cancelled') outcome = { ...outcome, ...SHUTDOWN };
      await this.finish(run, { attempt_id }, outcome);
    } finally {
      heartbeat.end();
      this.running.delete(heartbeat);
    }
  }

  /**
   * Steps 1 to 4 once more, on the rights and settings of this moment (SPEC R2): what changed while the run waited
   * counts. The pack is the version that was decided on.
   */
  private async decideAgain(run: Run): Promise<Decided> {
    const { db, keys, facts, pinned, check } = this.deps;
    const reloaded = await this.deps.caller(run);
    if (!reloaded.ok) return { ok: false, denial: RIGHTS_ENDED };
    const { caller } = reloaded;
    const sealer = await keys(run.tenant_id);
    if (!run.args_enc) return { ok: false, denial: RIGHTS_ENDED };
    const args = openArgs(sealer, run.id, run.args_enc);
    const { pack_id, verb_key, project_id } = run;
    const envelope = { pack_id, verb_key, args };
    const decision: Decision = await db.tenant(run.tenant_id, async (tx) => {
      const now_active = await facts(tx, { pack_id, project_id, caller });
      const pack = run.pack_version_id === null ? now_active.pack : await pinned(tx, run.tenant_id, run.pack_version_id);
      return decide({ envelope, caller, facts: { ...now_active, pack }, project_id, check, now: new Date() });
    });
    if (decision.decision !== 'allow') return { ok: false, denial: decision.denial };
    return { ok: true, plan: decision.plan, caller };
  }

  private async claim(run: Run, attempt_id: string, epoch: bigint, workspace: string | null): Promise<Claimed> {
    const { db, config } = this.deps;
    try {
      return await db.tenant(run.tenant_id, (tx) =>
        claim(tx, { run, attempt_id, worker_lease_ms: config.lease_ms, settings_epoch: epoch, workspace }),
      );
    } catch (error) {
      if (error instanceof ClaimLost) return 'lost';
      throw error;
    }
  }

  private async again(job: RunJob, before: Run): Promise<void> {
    const now = await this.load(job);
    if (!now || now.status !== 'queued' || now.attempts !== before.attempts) return;
    if (now.queue_deadline <= new Date()) return;
    await this.deps.queue.enqueue(job, { delay_ms: BUSY_DELAY_MS });
  }

  /** Writes the end down, again and again if it must: until then the run stays as it is, and the reaper calls it unknown. */
  private async finish(run: Run, held: Parameters<typeof complete>[2], outcome: Outcome): Promise<void> {
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

  private async load({ tenant_id, run_id }: RunJob): Promise<Run | null> {
    const run = await this.deps.db.tenant(tenant_id, (tx) =>
      tx.run.findUnique({ where: { tenant_id_id: { tenant_id, id: run_id } } }),
    );
    return run && !isTerminal(run.status) ? run : null;
  }
}

const RIGHTS_ENDED: Denial = {
  code: 'cancelled',
  error: "cancelled: the caller's session or rights ended before the run started",
  hint: 'nothing was run; sign in again or use a valid key',
};

const INTERNAL = refused('internal', 'the command could not be run', 'try again, and tell an operator if it stays so');

const SHUTDOWN = {
  status: 'unknown',
  code: 'outcome_unknown',
  error: 'the worker was shut down before the command ended',
  hint: 'look at what the command changes before you send it again',
} as const;

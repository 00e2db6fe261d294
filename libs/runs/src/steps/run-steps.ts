import { appendAudit } from '@hcp/audit';
import { parseResult, type ExecCode } from '@hcp/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { callerFacts, planFacts } from '../audit-facts.js';
import type { AdapterCall, Adapters } from '../adapters/adapter.js';
import type { Refresher } from '@hcp/bindings';
import { releaseLock } from '@hcp/workspaces';
import type { SignWorkload } from '../ports.js';
import { endingBefore, mint, type Lease } from '../mint.js';
import { stepPlace } from '../bound.js';
import { refused, type Outcome } from '../outcome.js';
import { Renewals, UNREADABLE } from '../renewals.js';
import type { PrepareDeps } from '../worker/prepare.js';
import { lockOf, prepareStep, StepBusy, type PreparedStep, type StepParent } from './prepare-step.js';
import type { StepPlan } from '@hcp/core';

export interface StepsDeps extends Omit<PrepareDeps, 'run_timeout_ms' | 'lease_ms'> {
  readonly refresher: Refresher;
  readonly adapters: Adapters;
  readonly config: { readonly run_timeout_ms: number; readonly lease_ms: number };
  readonly workload: SignWorkload | null;
  readonly onError: (error: Error) => void;
}

/** What a composite answers of one step. */
interface StepResult {
  readonly name: string;
  readonly pack_id: string;
  readonly verb_key: string;
  readonly ok: boolean;
  readonly result: unknown;
  readonly error?: string;
  readonly code?: ExecCode;
  readonly approval_id?: string;
}

type Go = Extract<PreparedStep, { kind: 'go' }>;

const BUSY_MS = 200;
/** How often the end of a step tries to be written down before the composite stops. */
const COMPLETION_TRIES = 6;
/** Characters of all that the steps of one composite answer; as much as one command may (SPEC S5). */
const MAX_RESULTS = 10 * 1024 * 1024;

/**
 * Runs the steps of a composite one after the other, each through the whole pipeline, and stops at the first that does not
 * succeed (SPEC W6). The run of the composite is the fence of all of them: it was claimed once.
 */
export async function runSteps(
  deps: StepsDeps,
  parent: StepParent,
  steps: readonly StepPlan[],
  signal: AbortSignal,
): Promise<Outcome> {
  const done: StepResult[] = [];
  const results: Record<string, unknown> = {};
  let room = MAX_RESULTS;
  for (const each of steps) {
    const { step } = each;
    const told = { name: step.name, pack_id: step.pack_id ?? parent.pack_id, verb_key: step.verb_key };
    const prepared = await whenFree(deps, parent, each, results, signal);
    if (prepared.kind === 'stopped') return ended(done, told, prepared.outcome);
    if (prepared.kind === 'denied') {
      const { denial, approval_id } = prepared;
      const outcome: Outcome = { status: 'failed', ...denial, ran: done.length > 0 };
      return ended(done, { ...told, ...(approval_id !== undefined && { approval_id }) }, outcome);
    }
    const outcome = await oneStep(deps, parent, each, prepared, signal);
    const answered = outcome.result ?? (outcome.stdout === undefined ? null : parseResult(outcome.stdout));
    room -= JSON.stringify(answered).length;
    const result = room < 0 ? null : answered;
    if (outcome.status !== 'succeeded') return ended(done, { ...told, result }, outcome);
    if (room < 0) return ended(done, told, TOO_MUCH);
    results[step.name] = result;
    done.push({ ...told, ok: true, result });
  }
  return { status: 'succeeded', result: { steps: done }, ran: true };
}

type Told = Pick<StepResult, 'name' | 'pack_id' | 'verb_key' | 'approval_id'> & { readonly result?: unknown };

function ended(done: readonly StepResult[], told: Told, outcome: Outcome): Outcome {
  const { code, error = '', hint, status } = outcome;
  const last: StepResult = {
    ...told,
    ok: false,
    result: told.result ?? null,
    error,
    ...(code !== undefined && { code }),
  };
  return {
    status,
    ...(code !== undefined && { code }),
    error: `step ${told.name}: ${error}`,
    ...(hint !== undefined && { hint }),
    ...(outcome.exit_code !== undefined && { exit_code: outcome.exit_code }),
    ...(outcome.truncated !== undefined && { truncated: outcome.truncated }),
    result: { steps: [...done, last] },
    ran: done.length > 0 ? true : outcome.ran,
  };
}

type Ready = PreparedStep | { readonly kind: 'stopped'; readonly outcome: Outcome };

/** Waits for the step's workspace, where another run has it, and for its credential, where that is to be renewed. */
async function whenFree(
  deps: StepsDeps,
  parent: StepParent,
  each: StepPlan,
  results: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<Exclude<Ready, { kind: 'again' | 'renew' }>> {
  const { db, config, onError } = deps;
  const prepare = { ...deps, run_timeout_ms: config.run_timeout_ms, lease_ms: config.lease_ms };
  const renewals = new Renewals(deps);
  const until = Date.now() + config.run_timeout_ms;
  for (;;) {
    if (signal.aborted) return { kind: 'stopped', outcome: CANCELLED };
    // Whoever has it may wait for something that this run has.
    if (Date.now() > until) return { kind: 'stopped', outcome: STILL_BUSY };
    try {
      const step = await db.tenant(parent.run.tenant_id, (tx) => prepareStep(tx, prepare, parent, each, results));
      if (step.kind === 'renew') {
        const denial = await renewals.renew(step.renewal);
        if (denial) return { kind: 'denied', denial };
        continue;
      }
      if (step.kind !== 'again') return step;
    } catch (error) {
      if (!(error instanceof StepBusy)) {
        onError(error as Error);
        return { kind: 'stopped', outcome: NO_AUDIT };
      }
    }
    await sleep(BUSY_MS);
  }
}

/** Steps 5 to 7 of the pipeline for one step. */
async function oneStep(
  deps: StepsDeps,
  parent: StepParent,
  each: StepPlan,
  prepared: Go,
  signal: AbortSignal,
): Promise<Outcome> {
  const started = Date.now();
  const { db } = deps;
  const { plan, caller, binding, digest, workspace, took } = prepared;
  const minted = await mintFor(deps, parent, prepared);
  const step_at_work = { pack_id: plan.pack.manifest.pack_id, platform: prepared.facts.owner?.platform ?? false };
  parent.at_work.add(step_at_work);
  const outcome = minted.ok
    ? await adapt(deps, parent, each, prepared, minted.lease, signal)
    : refused('mint_failed', minted.reason, minted.hint);
  parent.at_work.delete(step_at_work);
  const told = await written(deps, () =>
    db.tenant(parent.run.tenant_id, async (tx) => {
      // Held on, two composites could each wait for what the other has.
      if (took && workspace) await releaseLock(tx, lockOf(parent.run, workspace, deps.config.lease_ms));
      await appendAudit(tx, {
        ...callerFacts(caller),
        ...planFacts(plan, digest, minted.ok ? minted.lease.identity : binding),
        action: 'exec.completion',
        run_id: parent.run.id,
        code: outcome.code ?? null,
        ran: outcome.ran,
        exit_code: outcome.exit_code ?? null,
        duration_ms: Date.now() - started,
        details: { step: each.step.name },
      });
    }),
  );
  return told ? outcome : { ...outcome, ...UNTOLD };
}

/** Tries again and again: without its event nobody would see that the step ran (SPEC E3 step 7). */
async function written({ onError }: StepsDeps, write: () => Promise<void>): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      await write();
      return true;
    } catch (error) {
      onError(error as Error);
      if (tries === COMPLETION_TRIES) return false;
      await sleep(50 * 2 ** tries);
    }
  }
}

async function mintFor(deps: StepsDeps, parent: StepParent, { caller, plan, digest }: Go): ReturnType<typeof mint> {
  const timeout_ms = plan.timeout_ms ?? deps.config.run_timeout_ms;
  try {
    return await mint(deps, caller, plan, { id: parent.run.id, args_digest: digest, timeout_ms });
  } catch (error) {
    deps.onError(error as Error);
    return UNREADABLE;
  }
}

async function adapt(
  deps: StepsDeps,
  parent: StepParent,
  { step }: StepPlan,
  { plan, caller, request, facts, workspace }: Go,
  lease: Lease,
  signal: AbortSignal,
): Promise<Outcome> {
  const { kind, pack_id } = plan.pack.manifest;
  if (plan.steps.length > 0) {
    const inner = { ...parent, place: stepPlace(parent.place, step), pack_id, args: plan.args, request };
    return runSteps(deps, inner, plan.steps, signal);
  }
  const call: AdapterCall = {
    run: endingBefore(lease, {
      ...parent.run,
      pack_id,
      verb_key: plan.verb_key,
      pack_version_id: facts.version_id,
      pack_tenant_id: facts.owner?.tenant_id ?? null,
      pack_platform: facts.owner?.platform ?? false,
      pack_version: plan.pack.manifest.version,
      pack_digest: plan.pack.digest,
      timeout_ms: plan.timeout_ms ?? deps.config.run_timeout_ms,
    }),
    ...{ plan, caller, lease, workspace, signal },
  };
  try {
    return await deps.adapters[kind].run(call);
  } catch (error) {
    deps.onError(error as Error);
    return refused('internal', 'the command could not be run', 'try again, and tell an operator if it stays so');
  }
}

const CANCELLED: Outcome = { status: 'cancelled', code: 'cancelled', error: 'cancelled', ran: false };

const STILL_BUSY: Outcome = {
  status: 'timed_out',
  code: 'timeout',
  error: 'timed out while its workspace was in use',
  hint: 'what the steps before did stays done; send the call again when the other run has ended',
  ran: false,
};

const TOO_MUCH: Outcome = {
  status: 'failed',
  code: 'output_limit',
  error: 'output limit exceeded: the steps answered more than 10 MiB together',
  hint: 'it ran, and what it did stays done; ask for less at once',
  truncated: true,
  ran: true,
};

const UNTOLD = {
  status: 'failed',
  code: 'audit_unavailable',
  error: 'it ran, and its end could not be written down',
  hint: 'what the steps did stays done; look at it before you send the call again',
} as const;

const NO_AUDIT: Outcome = refused(
  'audit_unavailable',
  'the decision could not be written down',
  'what the steps before did stays done; look at it before you send the call again',
);

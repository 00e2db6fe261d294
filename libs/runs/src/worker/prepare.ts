import { consumeApproval } from '@hcp/approvals';
import {
  decide,
  demandsOn,
  loadNested,
  type Caller,
  type DecideRequest,
  type Denial,
  type ExecEnvelope,
  type Plan,
  type SchemaCheck,
} from '@hcp/core';
import type { Database, Run, Tx } from '@hcp/database';
import type { RunJob } from '@hcp/queue';
import { v7 as uuidv7 } from 'uuid';
import { bind, type Covers } from '../bound.js';
import { CANCELLED } from '../cancel.js';
import { dueFor, mintProblem, type DueRenewal } from '../mint.js';
import type { Outcome } from '../outcome.js';
import type { LoadAccess, LoadFacts, LoadPinned, ReloadCaller, TenantKeys } from '../ports.js';
import { openArgs } from '../sealing.js';
import type { Workspace, Workspaces } from '../workspaces.js';
import { claim, lockWorkspace } from './claim.js';
import { RIGHTS_ENDED } from './rights-ended.js';

export interface PrepareDeps {
  readonly db: Database;
  readonly keys: TenantKeys;
  readonly facts: LoadFacts;
  readonly access: LoadAccess;
  readonly pinned: LoadPinned;
  readonly caller: ReloadCaller;
  readonly check: SchemaCheck;
  readonly workspaces: Workspaces;
  readonly lease_ms: number;
  /** For commands whose pack sets no time-out. */
  readonly run_timeout_ms: number;
}

/** What a worker found when it reached for a run. */
export type Prepared =
  /** Not there, ended, or another's already. */
  | { readonly kind: 'gone' }
  /** Refused before it started. */
  | { readonly kind: 'refused'; readonly run: Run; readonly outcome: Outcome }
  /** Its workspace is in use, or settings moved while it was decided: to be looked at again. */
  | { readonly kind: 'again' }
  /** Its credential has to be renewed first; nothing was claimed, so that a failure costs no approval (SPEC V2). */
  | { readonly kind: 'renew'; readonly run: Run; readonly renewal: DueRenewal }
  /** This worker's, by this attempt. */
  | {
      readonly kind: 'claimed';
      readonly run: Run;
      readonly attempt_id: string;
      readonly plan: Plan;
      readonly caller: Caller;
      /** What the plan was decided on. */
      readonly request: DecideRequest;
      /** Of a composite that an approval lets run: the digests of the steps that it lets run. */
      readonly covers: Covers;
      readonly workspace: Workspace | null;
    };

/**
 * Steps 1 to 4 once more, on the rights and settings of this moment, and the fence, in one transaction (SPEC R2): what
 * changed while the run waited counts. The pack is the version that was decided on.
 */
export async function prepare(deps: PrepareDeps, job: RunJob): Promise<Prepared> {
  const { tenant_id, run_id } = job;
  const sealer = await deps.keys(tenant_id);
  try {
    return await deps.db.tenant(tenant_id, (tx) => prepareIn(tx, deps, sealer, tenant_id, run_id));
  } catch (error) {
    if (error instanceof WorkspaceBusy) return { kind: 'again' };
    if (error instanceof NotApproved) return refusedBy(error.run, NOT_APPROVED);
    throw error;
  }
}

type FullSealer = Awaited<ReturnType<TenantKeys>>;

/** Thrown to roll the claim back. */
class WorkspaceBusy extends Error {}
class NotApproved extends Error {
  constructor(readonly run: Run) {
    super('the approval does not cover this run');
  }
}

async function prepareIn(
  tx: Tx,
  deps: PrepareDeps,
  sealer: FullSealer,
  tenant_id: string,
  run_id: string,
): Promise<Prepared> {
  const run = await tx.run.findUnique({ where: { tenant_id_id: { tenant_id, id: run_id } } });
  if (run?.status !== 'queued') return { kind: 'gone' };
  if (run.cancel_requested_at) return { kind: 'refused', run, outcome: CANCELLED };
  const decided = await decideAgain(tx, deps, sealer, run);
  if (!decided.ok) return refusedBy(run, decided.denial);
  const { plan, caller, request } = decided;
  const renewal = await dueFor(tx, caller, plan, deps.run_timeout_ms);
  if (renewal) return { kind: 'renew', run, renewal };
  const workspace = deps.workspaces.of(run, plan.workspace_mode);
  const attempt_id = uuidv7();
  const timeout_ms = plan.timeout_ms ?? deps.run_timeout_ms;
  const hold = { run, attempt_id, lease_ms: deps.lease_ms };
  if (!(await claim(tx, { ...hold, timeout_ms, settings_epoch: caller.settings_epoch }))) return { kind: 'again' };
  if (workspace && !(await lockWorkspace(tx, { ...hold, workspace: workspace.key }))) throw new WorkspaceBusy();
  let covers: Covers = new Map();
  if (run.approval_id !== null) {
    // Under the workspace's lock, so that the files are those that the command will read.
    const { workspaces } = deps;
    const bound = await bind({ tx, workspaces, digest_key: sealer.digest_key, caller }, plan);
    if (!(await consumeApproval(tx, run, { digest: bound.digest, demands: demandsOn(plan, request.access) })))
      throw new NotApproved(run);
    covers = bound.covers;
  }
  const claimed = { run: { ...run, timeout_ms }, attempt_id, plan, caller, request, workspace };
  return { kind: 'claimed', ...claimed, covers };
}

const refusedBy = (run: Run, denial: Denial): Prepared => ({
  kind: 'refused',
  run,
  outcome: { status: 'failed', ...denial, ran: false },
});

type Decided =
  | { readonly ok: true; readonly plan: Plan; readonly caller: Caller; readonly request: DecideRequest }
  | { readonly ok: false; readonly denial: Denial };

async function decideAgain(tx: Tx, deps: PrepareDeps, sealer: FullSealer, run: Run): Promise<Decided> {
  const reloaded = await deps.caller(tx, run);
  if (!reloaded.ok || !run.args_enc) return { ok: false, denial: RIGHTS_ENDED };
  const { caller } = reloaded;
  const { pack_id, verb_key, project_id } = run;
  const envelope: ExecEnvelope = {
    pack_id,
    verb_key,
    args: openArgs(sealer, run.id, run.args_enc),
    ...(run.attested_id !== null && { approval: { by: 'human', id: run.attested_id } }),
  };
  const active = await deps.facts(tx, { pack_id, project_id, caller });
  const pack = run.pack_version_id === null ? active.pack : await deps.pinned(tx, run.tenant_id, run.pack_version_id);
  const facts = { ...active, pack };
  const access = await deps.access(tx, { caller, project_id });
  const nested = await loadNested(pack, verb_key, (id) => deps.facts(tx, { pack_id: id, project_id, caller }));
  const now = new Date();
  const request = { envelope, caller, facts, project_id, check: deps.check, access, nested, now };
  const decision = decide(request);
  if (decision.decision === 'allow') return { ok: true, plan: decision.plan, caller, request };
  // The approval is looked at when it is consumed, in the claim itself.
  if (decision.decision === 'deny' || !decision.plan || run.approval_id === null) {
    return { ok: false, denial: decision.denial };
  }
  // A stale credential keeps it (SPEC V2).
  const stale = await mintProblem(tx, caller, decision.plan);
  return stale
    ? { ok: false, denial: stale }
    : { ok: true, plan: { ...decision.plan, approved_by: 'human' }, caller, request };
}

const NOT_APPROVED: Denial = {
  code: 'confirm_required',
  error: 'confirm required',
  hint: 'Nothing ran: the approval was rejected, ran out, or is for another call. Send the call again to ask anew.',
};

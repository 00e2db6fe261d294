import { decide, type Caller, type Denial, type Plan, type SchemaCheck } from '@hcp/core';
import type { Database, Run, Tx } from '@hcp/database';
import type { RunJob } from '@hcp/queue';
import { v7 as uuidv7 } from 'uuid';
import { CANCELLED } from '../cancel.js';
import type { Outcome } from '../outcome.js';
import type { LoadAccess, LoadFacts, LoadPinned, ReloadCaller, TenantKeys } from '../ports.js';
import { openArgs, type Sealer } from '../sealing.js';
import type { Workspace, Workspaces } from '../workspaces.js';
import { claim, lockWorkspace } from './claim.js';

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
}

/** What a worker found when it reached for a run. */
export type Prepared =
  /** Not there, ended, or another's already. */
  | { readonly kind: 'gone' }
  /** Refused before it started. */
  | { readonly kind: 'refused'; readonly run: Run; readonly outcome: Outcome }
  /** Its workspace is in use, or settings moved while it was decided: to be looked at again. */
  | { readonly kind: 'again' }
  /** This worker's, by this attempt. */
  | {
      readonly kind: 'claimed';
      readonly run: Run;
      readonly attempt_id: string;
      readonly plan: Plan;
      readonly caller: Caller;
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
    throw error;
  }
}

/** Thrown to roll the claim back. */
class WorkspaceBusy extends Error {}

async function prepareIn(
  tx: Tx,
  deps: PrepareDeps,
  sealer: Sealer,
  tenant_id: string,
  run_id: string,
): Promise<Prepared> {
  const run = await tx.run.findUnique({ where: { tenant_id_id: { tenant_id, id: run_id } } });
  if (run?.status !== 'queued') return { kind: 'gone' };
  if (run.cancel_requested_at) return { kind: 'refused', run, outcome: CANCELLED };
  const decided = await decideAgain(tx, deps, sealer, run);
  if (!decided.ok) return { kind: 'refused', run, outcome: { status: 'failed', ...decided.denial, ran: false } };
  const { plan, caller } = decided;
  const workspace = deps.workspaces.of(run, plan.workspace_mode);
  const attempt_id = uuidv7();
  const hold = { run, attempt_id, lease_ms: deps.lease_ms };
  if (!(await claim(tx, { ...hold, settings_epoch: caller.settings_epoch }))) return { kind: 'again' };
  if (workspace && !(await lockWorkspace(tx, { ...hold, workspace: workspace.key }))) throw new WorkspaceBusy();
  return { kind: 'claimed', run, attempt_id, plan, caller, workspace };
}

type Decided =
  { readonly ok: true; readonly plan: Plan; readonly caller: Caller } | { readonly ok: false; readonly denial: Denial };

async function decideAgain(tx: Tx, deps: PrepareDeps, sealer: Sealer, run: Run): Promise<Decided> {
  const reloaded = await deps.caller(tx, run);
  if (!reloaded.ok || !run.args_enc) return { ok: false, denial: RIGHTS_ENDED };
  const { caller } = reloaded;
  const { pack_id, verb_key, project_id } = run;
  const envelope = { pack_id, verb_key, args: openArgs(sealer, run.id, run.args_enc) };
  const active = await deps.facts(tx, { pack_id, project_id, caller });
  const pack = run.pack_version_id === null ? active.pack : await deps.pinned(tx, run.tenant_id, run.pack_version_id);
  const facts = { ...active, pack };
  const access = await deps.access(tx, { caller, project_id });
  const decision = decide({ envelope, caller, facts, project_id, check: deps.check, access, now: new Date() });
  return decision.decision === 'allow'
    ? { ok: true, plan: decision.plan, caller }
    : { ok: false, denial: decision.denial };
}

const RIGHTS_ENDED: Denial = {
  code: 'cancelled',
  error: "cancelled: the caller's session or rights ended before the run started",
  hint: 'nothing was run; sign in again or use a valid key',
};

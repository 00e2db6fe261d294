import { consumeApproval } from '@hcp/approvals';
import { appendAudit } from '@hcp/audit';
import {
  decide,
  demandsOn,
  fillSteps,
  hintAfterNo,
  loadNested,
  stepRequest,
  type Caller,
  type DecideRequest,
  type Denial,
  type FilledArgs,
  type Plan,
  type StepPlan,
} from '@hcp/core';
import type { Run, Tx } from '@hcp/database';
import { takeLock, type Lock } from '@hcp/workspaces';
import { ask, takeYes, type AskingCall } from '../asking.js';
import { callerFacts, planFacts } from '../audit-facts.js';
import { bind, stepPlace, type Covers } from '../bound.js';
import { dueFor, type DueRenewal } from '../mint.js';
import type { LoadedFacts } from '../ports.js';
import { auditDenial } from '../refusals.js';
import type { PrepareDeps } from '../worker/prepare.js';
import type { AtWork } from '../worker/claim.js';
import { RIGHTS_ENDED } from '../worker/rights-ended.js';
import type { Workspace } from '../workspaces.js';

/** The composite whose step it is. */
export interface StepParent {
  readonly run: Run;
  readonly pack_id: string;
  /** The composite's own arguments. */
  readonly args: Plan['args'];
  readonly request: DecideRequest;
  /** Its own place, empty for the call that was sent. */
  readonly place: string;
  /** The steps that its approval lets run. */
  readonly covers: Covers;
  /** The packs of the steps that are under way, for whoever looks out for stops of packs. */
  readonly at_work: Set<AtWork>;
}

export type PreparedStep =
  | {
      readonly kind: 'go';
      readonly plan: Plan;
      readonly caller: Caller;
      readonly request: DecideRequest;
      readonly facts: LoadedFacts;
      readonly workspace: Workspace | null;
      /** Whether the step has taken the lock of its workspace, which then ends with it. */
      readonly took: boolean;
      readonly binding: string;
      readonly digest: string;
    }
  | { readonly kind: 'denied'; readonly denial: Denial; readonly approval_id?: string }
  /** Its workspace is in use. */
  | { readonly kind: 'again' }
  /** Its credential has to be renewed first; nothing was taken or written yet. */
  | { readonly kind: 'renew'; readonly renewal: DueRenewal };

/** Thrown to roll back what a step that has to wait had taken. */
export class StepBusy extends Error {}

/**
 * Steps 1 to 4 of the pipeline for one step of a composite, on the rights and settings of this moment and with its real
 * arguments, with its audit event (SPEC W6, E3). An approval of the composite lets run what it was given for; anything else that
 * asks has a request of its own.
 * @param results of the steps before, by name
 */
export async function prepareStep(
  tx: Tx,
  deps: PrepareDeps,
  parent: StepParent,
  { step }: StepPlan,
  results: Readonly<Record<string, unknown>>,
): Promise<PreparedStep> {
  const { run } = parent;
  const reloaded = await deps.caller(tx, run);
  if (!reloaded.ok) return { kind: 'denied', denial: RIGHTS_ENDED };
  const { caller } = reloaded;
  const { project_id } = run;
  const filled = fillSteps(step, parent.args, results);
  if (!filled.ok) return { kind: 'denied', denial: unfilled(filled) };
  const pack_id = step.pack_id ?? parent.pack_id;
  const facts = await deps.facts(tx, { pack_id, project_id, caller });
  const nested = await loadNested(facts.pack, step.verb_key, (id) =>
    deps.facts(tx, { pack_id: id, project_id, caller }),
  );
  const access = await deps.access(tx, { caller, project_id });
  const base = { ...parent.request, caller, access, nested, now: new Date() };
  const request = { ...stepRequest(base, parent.pack_id, step, filled.args), facts };
  const decision = decide(request);
  const details = { step: step.name };
  const audit = (denial: Denial, asks: boolean, more: object = {}): Promise<void> =>
    auditDenial(tx, caller, request.envelope, facts, {
      decision: asks ? 'ask' : 'deny',
      code: denial.code,
      known: decision.decision === 'allow' ? decision.plan : decision.known,
      more: { run_id: run.id, details: { ...details, ...more } },
    });
  const { plan } = decision;
  if (decision.decision === 'deny' || !plan) {
    const denial = decision.decision === 'allow' ? RIGHTS_ENDED : decision.denial;
    await audit(denial, false);
    return { kind: 'denied', denial };
  }
  const renewal = await dueFor(tx, caller, plan, deps.run_timeout_ms);
  if (renewal) return { kind: 'renew', renewal };
  const sealer = await deps.keys(run.tenant_id);
  const { workspaces } = deps;
  const workspace = workspaces.of({ ...run, pack_id }, plan.workspace_mode);
  const took = workspace !== null && !(await holds(tx, run, workspace));
  if (took && !(await takeLock(tx, lockOf(run, workspace, deps.lease_ms)))) throw new StepBusy();
  const { binding, digest } = await bind({ tx, workspaces, digest_key: sealer.digest_key, caller }, plan);
  let approved_by = plan.approved_by;
  let approval_id: string | null = null;
  if (decision.decision === 'ask') {
    const call: AskingCall = {
      caller,
      envelope: request.envelope,
      plan,
      layers: access,
      digest,
      binding,
      run_id: run.id,
    };
    if (parent.covers.get(stepPlace(parent.place, step)) === digest) approval_id = run.approval_id;
    else {
      const yes = await takeYes(tx, call);
      if (yes.kind === 'stale') {
        await audit(yes.denial, false);
        return { kind: 'denied', denial: yes.denial };
      }
      if (
        yes.kind === 'approved' &&
        (await consumeApproval(
          tx,
          { ...run, approval_id: yes.approval_id },
          { digest, demands: demandsOn(plan, access) },
        ))
      ) {
        approval_id = yes.approval_id;
      }
    }
    if (approval_id === null) {
      const asked = await ask(tx, sealer, call);
      await audit(decision.denial, true, { approval_id: asked.approval_id ?? null });
      // The steps before one that waits have only read: the decision saw to that.
      const hint = `A person has to say yes to this step (${asked.approval_id ?? ''}); then send the call again unchanged.`;
      const denial = { ...decision.denial, hint: hintAfterNo(hint, asked.rejected_at) };
      return { kind: 'denied', denial, approval_id: asked.approval_id };
    }
    approved_by = 'human';
  }
  await appendAudit(tx, {
    ...callerFacts(caller),
    ...planFacts({ ...plan, approved_by }, digest, binding),
    action: 'exec.decision',
    decision: 'allow',
    run_id: run.id,
    details: { ...details, ...(approval_id !== null && { approval_id }) },
  });
  return { kind: 'go', plan, caller, request, facts, workspace, took, binding, digest };
}

/** Whether the composite itself has it. */
async function holds(tx: Tx, { tenant_id, id }: Run, { key }: Workspace): Promise<boolean> {
  return (await tx.workspaceLock.count({ where: { tenant_id, workspace: key, run_id: id } })) > 0;
}

export const lockOf = ({ tenant_id, id }: Run, { key }: Workspace, lease_ms: number): Lock => ({
  ...{ tenant_id, workspace: key, holder: id, run_id: id, lease_ms },
});

const unfilled = ({ placeholder, why }: Extract<FilledArgs, { ok: false }>): Denial => ({
  code: 'invalid_args',
  error: `invalid args: ${placeholder} ${why === 'missing' ? 'is not in what the step before answered' : 'is too large'}`,
  hint: 'the pack expects another answer of that step',
});

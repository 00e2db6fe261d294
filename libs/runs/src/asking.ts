import { approvedFor, askApproval, keepFor } from '@hcp/approvals';
import {
  buildCard,
  demandsOn,
  effectiveApprovals,
  type AccessLayers,
  type AccessSummary,
  type ApprovalRequest,
  type Caller,
  type Card,
  type Denial,
  type ExecEnvelope,
  type Plan,
} from '@hcp/core';
import { sql, type Tx } from '@hcp/database';
import { authorityOf } from './authority.js';
import { mintProblem } from './mint.js';
import type { Sealer } from './sealing.js';

/** A call that asks, with all that a yes to it is bound to. */
export interface AskingCall {
  readonly caller: Caller;
  readonly envelope: ExecEnvelope;
  readonly plan: Plan;
  readonly layers: AccessLayers;
  readonly digest: string;
  readonly binding: string;
  readonly run_id: string;
}

/** The yes that lets the call run now, kept for its run. */
export type Yes =
  | { readonly kind: 'approved'; readonly approval_id: string }
  /** There is one, and the credential is stale: it keeps (SPEC V2). */
  | { readonly kind: 'stale'; readonly denial: Denial }
  | { readonly kind: 'none' };

export async function takeYes(tx: Tx, { caller, envelope, plan, layers, digest, run_id }: AskingCall): Promise<Yes> {
  const wanted = {
    tenant_id: caller.tenant_id,
    principal_id: caller.principal.id,
    digest,
    demands: demandsOn(plan, layers),
    approval_id: envelope.approval_id,
  };
  const approval_id = await approvedFor(tx, wanted);
  if (approval_id === null) return { kind: 'none' };
  const denial = await mintProblem(tx, caller, plan);
  if (denial !== null) return { kind: 'stale', denial };
  const kept = await keepFor(tx, { ...wanted, approval_id, run_id });
  return kept ? { kind: 'approved', approval_id } : { kind: 'none' };
}

/** Whether a service's own record of a yes lets a run start: each covers one (SPEC E1). */
export async function takeAttested(tx: Tx, caller: Caller, attested_id: string): Promise<boolean> {
  const { tenant_id, principal } = caller;
  // Of two calls at once the second waits here for the first one's transaction.
  const place = `attested ${tenant_id} ${principal.id} ${attested_id}`;
  await tx.$executeRaw(sql`select pg_advisory_xact_lock(hashtextextended(${place}, 0))`);
  const used = await tx.run.findFirst({
    where: { tenant_id, principal_id: principal.id, attested_id },
    select: { id: true },
  });
  return used === null;
}

export const ATTESTED_BEFORE: Denial = {
  code: 'confirm_required',
  error: 'confirm required',
  hint: 'This approval id let another run start already: each covers one. A person has to say yes again.',
};

/** The answer to a call that asks: what a person is shown, and the request that waits for one. */
export async function ask(
  tx: Tx,
  sealer: Sealer & { readonly digest_key: Buffer },
  call: AskingCall,
): Promise<ApprovalRequest> {
  const { caller, envelope, plan, layers } = call;
  return askApproval(tx, sealer, {
    caller,
    plan,
    digest: call.digest,
    binding: call.binding,
    card: cardOf(caller, plan, layers),
    args: envelope.args,
    demands: demandsOn(plan, layers),
    pending_ttl_s: layers.approving.pending_ttl_s,
    run_on_approve: envelope.run_on_approve === true,
    authority: authorityOf(caller),
  });
}

/** An API key's own session has no end, so no rule may last as long. */
export function cardOf(caller: Caller, plan: Plan, layers: AccessLayers): Card {
  const { id, api_key_id } = caller.session;
  return buildCard(plan, layers, { sessions: id !== api_key_id });
}

export const summaryOf = ({ judged }: Plan, layers: AccessLayers): AccessSummary => ({
  mode: judged.mode,
  reason: judged.reason,
  reason_code: judged.reason_code ?? 'confirm',
  approvals: effectiveApprovals(layers),
});

import type { Approval as ApprovalAnswer } from '@hcp/contracts';
import {
  allows,
  approvalStateAt,
  holdsDecide,
  requiredCapability,
  type AskedCall,
  type Caller,
  type Operation,
} from '@hcp/core';
import type { Approval, ApprovalDecision, Tx } from '@hcp/database';
import type { Names } from './names.js';
import type { Sealer } from './ports.js';
import { openCall, openReason } from './sealed.js';

/** What of a row decides who may answer it; the person whom the requester acts for now counts as well. */
export async function askedCall(tx: Tx, row: Approval): Promise<AskedCall> {
  const { tenant_id, principal_id } = row;
  const requester = await tx.principal.findUnique({
    where: { tenant_id_id: { tenant_id, id: principal_id } },
    select: { acts_for: true },
  });
  const acts_for = [row.acts_for, requester?.acts_for ?? null].filter((id) => id !== null);
  return asked(row, acts_for);
}

/** @param acts_for see `askedCall` */
export const asked = (row: Approval, acts_for: readonly string[]): AskedCall => ({
  pack_id: row.pack_id,
  verb_key: row.verb_key,
  steps: row.steps as unknown as AskedCall['steps'],
  project_id: row.project_id,
  requester_id: row.principal_id,
  acts_for,
  second_person: row.second_person,
});

/**
 * Who asked, the human it acts for, and who may decide. A key or session that could not make the call does not see what
 * was asked for either (SPEC G5).
 */
export function seesApproval(caller: Caller, row: Approval, now: Date): boolean {
  const { pack_id, verb_key, project_id } = row;
  const only = caller.session.project_id;
  if (only !== null && only !== project_id) return false;
  if (holdsDecide(caller, asked(row, []), now)) return true;
  const me = caller.principal.id;
  if (row.principal_id !== me && row.acts_for !== me) return false;
  const capability = requiredCapability(row.operation as Operation);
  return allows(caller.authority, { capability, pack_id, verb_key, project_id }, now);
}

/** The state that counts at this instant, whatever was written down. */
export const stateOf = (row: Approval, now: Date): ApprovalAnswer['state'] =>
  approvalStateAt({ ...row, state: row.state as ApprovalAnswer['state'], approved_by: [] }, now);

/** A request as the wire has it; `full`: the card was opened in full (SPEC C3). */
export function approvalAnswer(
  sealer: Sealer,
  row: Approval,
  decisions: readonly ApprovalDecision[],
  { now, full, names }: { readonly now: Date; readonly full: boolean; readonly names: Names },
): ApprovalAnswer {
  const card = row.sealed ? openCall(sealer, row.id, row.sealed).card : null;
  return {
    id: row.id,
    state: stateOf(row, now),
    pack_id: row.pack_id,
    pack_version: row.pack_version,
    verb_key: row.verb_key,
    operation: row.operation as ApprovalAnswer['operation'],
    project_id: row.project_id,
    principal_id: row.principal_id,
    principal_kind: row.principal_kind as ApprovalAnswer['principal_kind'],
    principal_name: names.principal(row.principal_id),
    client_name: names.client(row.session_id),
    acts_for: row.acts_for,
    acts_for_name: row.acts_for === null ? null : names.principal(row.acts_for),
    created_at: row.created_at.toISOString(),
    pending_expires_at: row.pending_expires_at.toISOString(),
    approved_at: row.approved_at?.toISOString() ?? null,
    use_expires_at: row.use_expires_at?.toISOString() ?? null,
    run_on_approve: row.run_on_approve,
    run_id: row.run_id,
    approvers: row.approvers,
    second_person: row.second_person,
    reason_required: row.reason_required,
    decisions: decisions.map((each) => ({
      principal_id: each.principal_id,
      principal_name: names.principal(each.principal_id),
      decision: each.decision as 'approve' | 'reject',
      option: each.option as 'allow_once' | 'allow_session' | null,
      reason: each.reason_enc ? openReason(sealer, each.id, each.reason_enc) : null,
      at: each.at.toISOString(),
    })),
    reason_code: row.reason_code,
    mode: row.mode,
    arg_names: row.arg_names,
    erased_at: row.erased_at?.toISOString() ?? null,
    card: card && { ...card, approval_id: row.id, expires_at: row.pending_expires_at.toISOString() },
    card_digest: row.complete || full ? row.card_digest : null,
  };
}

import type { ApprovalState } from '@hcp/core';
import type { Approval, Tx } from '@hcp/database';
import { appendEvent } from '@hcp/events';
import { approvalAnswered, approvalWaits } from '@hcp/sense';

export type ToldApproval = Pick<
  Approval,
  'tenant_id' | 'id' | 'pack_id' | 'verb_key' | 'project_id' | 'principal_id' | 'acts_for'
>;

/**
 * Tells those who follow the tenant, and its endpoints, what became of a request, in the same transaction (SPEC V5). Until it
 * is answered it is a Sense event as well (SPEC N1).
 */
export async function tellApproval(tx: Tx, approval: ToldApproval, state: ApprovalState): Promise<void> {
  const { tenant_id, id, pack_id, verb_key, project_id, principal_id, acts_for } = approval;
  const type = state === 'pending' ? 'approval.requested' : 'approval.decided';
  const data = { approval_id: id, state, pack_id, verb_key, project_id, requested_by: principal_id, acts_for };
  await appendEvent(tx, { tenant_id, type, subject_id: id, state, told: { type, pack_id, data } });
  if (state === 'pending') await approvalWaits(tx, approval);
  else if (state !== 'consumed') await approvalAnswered(tx, approval);
}

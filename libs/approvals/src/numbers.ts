import { holdsDecide, type Caller } from '@hcp/core';
import type { Approval, Tx } from '@hcp/database';
import { asked, seesApproval } from './records.js';
import { inState, whose } from './look.js';

/** Requests that wait, as far as the caller may see them, and those that the caller's rights reach to decide. */
export async function approvalNumbers(
  tx: Tx,
  caller: Caller,
  now: Date,
): Promise<{ readonly waiting: number; readonly to_decide: number }> {
  const rows = (await tx.approval.findMany({
    where: { tenant_id: caller.tenant_id, AND: [whose(caller), inState('pending', now)] },
    omit: { sealed: true },
  })) as Approval[];
  const seen = rows.filter((row) => seesApproval(caller, row, now));
  const to_decide = caller.is_agent ? [] : seen.filter((row) => holdsDecide(caller, asked(row, []), now));
  return { waiting: seen.length, to_decide: to_decide.length };
}

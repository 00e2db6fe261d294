import type { Demands } from '@hcp/core';
import type { Run, Tx } from '@hcp/database';
import { empty, sql, type Sql } from '@hcp/database';
import { auditApproval } from './audit.js';
import { tellApproval } from './tell.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export interface Wanted {
  readonly tenant_id: string;
  readonly principal_id: string;
  readonly digest: string;
  /** What a yes to it takes now. */
  readonly demands: Required<Demands>;
  /** The only one that will do, where the caller names one. */
  readonly approval_id?: string | undefined;
}

/** What a yes takes was fixed when it was asked; where the tenant wants more since then, it is not enough (SPEC V4). */
const meets = ({ second_person, approvers, reason_required }: Required<Demands>): Sql => sql`
  (second_person or not ${second_person}::boolean) and approvers >= ${approvers}::int
  and (reason_required or not ${reason_required}::boolean)`;

/** A yes that would let exactly this call run now, and is kept for no run yet; null where there is none. */
export async function approvedFor(tx: Tx, wanted: Wanted): Promise<string | null> {
  const { tenant_id, principal_id, digest, demands, approval_id } = wanted;
  if (approval_id !== undefined && !UUID.test(approval_id)) return null;
  const rows = await tx.$queryRaw<{ id: string }[]>(sql`
    select id::text from approvals
    where tenant_id = ${tenant_id}::uuid and principal_id = ${principal_id}::uuid and digest = ${digest}
      and state = 'approved' and run_id is null and use_expires_at > clock_timestamp() and ${meets(demands)}
      ${approval_id === undefined ? empty : sql`and id = ${approval_id}::uuid`}
    order by id limit 1`);
  return rows[0]?.id ?? null;
}

/**
 * Keeps a yes for one run, so that of many calls at once one becomes a run and the others ask (SPEC V2). The claim
 * consumes it.
 */
export async function keepFor(tx: Tx, wanted: Wanted & { approval_id: string; run_id: string }): Promise<boolean> {
  const kept = await tx.$executeRaw`
    update approvals set run_id = ${wanted.run_id}::uuid
    where tenant_id = ${wanted.tenant_id}::uuid and id = ${wanted.approval_id}::uuid
      and principal_id = ${wanted.principal_id}::uuid and digest = ${wanted.digest}
      and state = 'approved' and run_id is null and use_expires_at > clock_timestamp()`;
  return kept === 1;
}

/**
 * Spends a yes on the run it is kept for: one conditional UPDATE, in the transaction that claims the run. It is never
 * given back, whatever happens to the run (SPEC V2).
 * @param now the digest of the call as it would run now, and what a yes to it takes
 * @returns false where it was rejected, ran out, or is for another call; then nothing may run
 */
export async function consumeApproval(
  tx: Tx,
  run: Pick<Run, 'tenant_id' | 'id' | 'approval_id' | 'principal_id' | 'principal_kind' | 'acts_for' | 'session_id'>,
  now: Pick<Wanted, 'digest' | 'demands'>,
): Promise<boolean> {
  if (run.approval_id === null) return false;
  const { digest, demands } = now;
  const consumed = await tx.$executeRaw(sql`
    update approvals set state = 'consumed', ended_at = clock_timestamp()
    where tenant_id = ${run.tenant_id}::uuid and id = ${run.approval_id}::uuid and run_id = ${run.id}::uuid
      and digest = ${digest} and state = 'approved' and use_expires_at > clock_timestamp() and ${meets(demands)}`);
  if (consumed !== 1) return false;
  const approval = await tx.approval.findUniqueOrThrow({
    where: { tenant_id_id: { tenant_id: run.tenant_id, id: run.approval_id } },
  });
  await auditApproval(tx, approval, 'approval.consume', {
    principal_id: run.principal_id,
    principal_kind: run.principal_kind,
    acts_for: run.acts_for,
    session_id: run.session_id,
    run_id: run.id,
  });
  await tellApproval(tx, approval, 'consumed');
  return true;
}

/** Of a run that ended before it started: the yes was not used, and waits for another run until its clock runs out. */
export async function releaseApproval(tx: Tx, run: Pick<Run, 'tenant_id' | 'id' | 'approval_id'>): Promise<void> {
  if (run.approval_id === null) return;
  await tx.$executeRaw`
    update approvals set run_id = null
    where tenant_id = ${run.tenant_id}::uuid and id = ${run.approval_id}::uuid and run_id = ${run.id}::uuid
      and state = 'approved'`;
}

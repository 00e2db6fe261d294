import type { Approval, Database, Tx } from '@hcp/database';
import { sql, type Sql } from '@hcp/database';
import { auditApproval } from './audit.js';
import { tellApproval } from './tell.js';

const BATCH = 200;

/**
 * Writes down that clocks ran out, once for each request, and says so in the log. Nothing waits for it: every read and
 * every condition looks at the clock itself (SPEC V3). Who follows the tenant hears of it now.
 */
export async function expireWhere(tx: Tx, tenant_id: string, which: Sql): Promise<void> {
  const late = sql`${which} and (
    (state = 'pending' and pending_expires_at <= clock_timestamp())
    or (state = 'approved' and use_expires_at <= clock_timestamp()))`;
  await endAll(tx, tenant_id, late, (was) =>
    was === 'pending' ? 'nobody answered in time' : 'it was not used in time',
  );
}

/**
 * The call runs by a word that it brought along: what waited for a person to say yes to it, or waits to be used, is over, so that
 * nobody's later yes lets it run once more.
 */
export async function closeAnswered(
  tx: Tx,
  { tenant_id, principal_id, digest }: { tenant_id: string; principal_id: string; digest: string },
): Promise<void> {
  const same = sql`principal_id = ${principal_id}::uuid and digest = ${digest}
    and (state = 'pending' or (state = 'approved' and run_id is null))`;
  await endAll(tx, tenant_id, same, () => 'the call ran by a yes that it brought along');
}

async function endAll(tx: Tx, tenant_id: string, which: Sql, why: (was: string) => string): Promise<void> {
  const rows = await tx.$queryRaw<{ id: string; was: string }[]>(sql`
    with over as (
      select id, state as was from approvals where tenant_id = ${tenant_id}::uuid and ${which} for update
    )
    update approvals a set state = 'expired', ended_at = clock_timestamp()
    from over where a.tenant_id = ${tenant_id}::uuid and a.id = over.id
    returning a.id::text, over.was`);
  for (const { id, was } of rows) {
    const approval = await tx.approval.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id, id } } });
    await auditApproval(tx, approval, 'approval.expire', { reason: why(was) });
    await tellApproval(tx, approval, 'expired');
  }
}

/** Looks through all tenants for requests whose clock ran out. */
export async function sweepApprovals(db: Database): Promise<void> {
  const now = new Date();
  const late = await db.reaper((tx) =>
    tx.approval.findMany({
      where: {
        OR: [
          { state: 'pending', pending_expires_at: { lte: now } },
          { state: 'approved', use_expires_at: { lte: now } },
        ],
      },
      select: { tenant_id: true, id: true },
      orderBy: { created_at: 'asc' },
      take: BATCH,
    }),
  );
  for (const { tenant_id, id } of late as Pick<Approval, 'tenant_id' | 'id'>[]) {
    await db.tenant(tenant_id, (tx) => expireWhere(tx, tenant_id, sql`id = ${id}::uuid`));
  }
}

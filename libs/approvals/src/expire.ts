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
  const rows = await tx.$queryRaw<{ id: string; was: string }[]>(sql`
    with late as (
      select id, state as was from approvals
      where tenant_id = ${tenant_id}::uuid and ${which} and (
        (state = 'pending' and pending_expires_at <= clock_timestamp())
        or (state = 'approved' and use_expires_at <= clock_timestamp()))
      for update
    )
    update approvals a set state = 'expired', ended_at = clock_timestamp()
    from late where a.tenant_id = ${tenant_id}::uuid and a.id = late.id
    returning a.id::text, late.was`);
  for (const { id, was } of rows) {
    const approval = await tx.approval.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id, id } } });
    await auditApproval(tx, approval, 'approval.expire', {
      reason: was === 'pending' ? 'nobody answered in time' : 'it was not used in time',
    });
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

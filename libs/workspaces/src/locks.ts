import type { Tx } from '@hcp/database';

/** A hold on one workspace by one writer (SPEC W5). */
export interface Lock {
  readonly tenant_id: string;
  /** `Workspace.key`. */
  readonly workspace: string;
  /** A run's id, or an id made for one change over the files API. */
  readonly holder: string;
  /** Null where no run holds it. */
  readonly run_id: string | null;
  /** The lock is free for others this long after it was taken or kept. */
  readonly lease_ms: number;
}

/** @returns false where another holds it; one whose lease ran out holds nothing */
export async function takeLock(tx: Tx, { tenant_id, workspace, holder, run_id, lease_ms }: Lock): Promise<boolean> {
  const taken = await tx.$executeRaw`
    insert into workspace_locks (tenant_id, workspace, holder, run_id, lease_until)
    values (${tenant_id}::uuid, ${workspace}, ${holder}::uuid, ${run_id}::uuid,
      clock_timestamp() + ${lease_ms} * interval '1 millisecond')
    on conflict (tenant_id, workspace) do update
      set holder = excluded.holder, run_id = excluded.run_id, lease_until = excluded.lease_until
      where workspace_locks.lease_until < clock_timestamp()`;
  return taken === 1;
}

/** Extends the lease. @returns false where it had run out already: then nobody knows who wrote since */
export async function keepLock(tx: Tx, { tenant_id, workspace, holder, lease_ms }: Lock): Promise<boolean> {
  const kept = await tx.$executeRaw`
    update workspace_locks set lease_until = clock_timestamp() + ${lease_ms} * interval '1 millisecond'
    where tenant_id = ${tenant_id}::uuid and workspace = ${workspace} and holder = ${holder}::uuid
      and lease_until >= clock_timestamp()`;
  return kept === 1;
}

export async function releaseLock(tx: Tx, { tenant_id, workspace, holder }: Lock): Promise<void> {
  await tx.workspaceLock.deleteMany({ where: { tenant_id, workspace, holder } });
}

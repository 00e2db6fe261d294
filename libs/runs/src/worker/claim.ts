import type { Run, Tx } from '@hcp/database';
import { takeLock } from '@hcp/workspaces';
import { tellRun } from '../tell.js';

export interface Hold {
  readonly run: Run;
  readonly attempt_id: string;
  readonly lease_ms: number;
}

/**
 * The fence (SPEC R2): one conditional UPDATE lets exactly one attempt from `queued` to `starting`, before any mint or
 * spawn. It fails when the run is not queued any more, was cancelled, is too late, its tenant or pack was stopped, or
 * anything that the decision in hand depends on has changed since (`settings_epoch`). A stop of the platform's moves no
 * other tenant's epoch, which is why stops are looked at here.
 */
export async function claim(
  tx: Tx,
  { run, attempt_id, lease_ms, settings_epoch, timeout_ms }: Hold & { settings_epoch: bigint; timeout_ms: number },
): Promise<boolean> {
  const claimed = await tx.$executeRaw`
    update runs set status = 'starting', attempt_id = ${attempt_id}::uuid, attempts = attempts + 1,
      timeout_ms = ${timeout_ms},
      started_at = clock_timestamp(), lease_until = clock_timestamp() + ${lease_ms} * interval '1 millisecond'
    where tenant_id = ${run.tenant_id}::uuid and id = ${run.id}::uuid and status = 'queued'
      and cancel_requested_at is null and queue_deadline > clock_timestamp()
      and exists (select from tenants t where t.id = runs.tenant_id and t.stopped_at is null
        and t.settings_epoch = ${settings_epoch})
      and not exists (select from pack_stops s where s.pack_id = runs.pack_id
        and (s.tenant_id = runs.tenant_id or (s.platform and runs.pack_platform)))`;
  if (claimed !== 1) return false;
  await tellRun(tx, run, 'starting');
  return true;
}

/** Takes a workspace for one run; a lock whose lease ran out is free (SPEC W5). */
export async function lockWorkspace(
  tx: Tx,
  { run, lease_ms, workspace }: Hold & { workspace: string },
): Promise<boolean> {
  const { tenant_id, id } = run;
  return takeLock(tx, { tenant_id, workspace, holder: id, run_id: id, lease_ms });
}

/** The pack of a step that is under way. */
export interface AtWork {
  readonly pack_id: string;
  /** One that an operator publishes, which the platform can stop for everybody. */
  readonly platform: boolean;
}

export interface Renewal {
  readonly held: boolean;
  readonly cancel_requested: boolean;
}

/**
 * Extends the lease of an attempt and learns whether it shall stop: somebody cancelled it, or the kill switch stopped its
 * tenant, its pack or that of a step (here or by the platform), who asked for it or the human that one acts for (SPEC T5).
 * `held: false`: another decided over this run.
 * @param at_work the packs of the steps that are under way
 */
export async function renew(
  tx: Tx,
  { run, attempt_id, lease_ms, at_work }: Hold & { at_work: readonly AtWork[] },
): Promise<Renewal> {
  const packs = at_work.map(({ pack_id }) => pack_id);
  const platform_packs = at_work.flatMap(({ pack_id, platform }) => (platform ? [pack_id] : []));
  const rows = await tx.$queryRaw<{ cancel: boolean }[]>`
    update runs set lease_until = clock_timestamp() + ${lease_ms} * interval '1 millisecond'
    where tenant_id = ${run.tenant_id}::uuid and id = ${run.id}::uuid and attempt_id = ${attempt_id}::uuid
      and status in ('starting', 'running')
    returning cancel_requested_at is not null
      or exists (select from tenants t where t.id = runs.tenant_id and t.stopped_at is not null)
      or exists (select from pack_stops s where s.pack_id = runs.pack_id
        and (s.tenant_id = runs.tenant_id or (s.platform and runs.pack_platform)))
      or exists (select from pack_stops s where s.pack_id = any(${packs}) and s.tenant_id = runs.tenant_id)
      or exists (select from pack_stops s where s.pack_id = any(${platform_packs}) and s.platform)
      or exists (select from principals p left join users u on u.id = p.user_id
        where p.tenant_id = runs.tenant_id and p.id in (runs.principal_id, runs.acts_for)
          and (p.disabled_at is not null or u.disabled_at is not null)) as cancel`;
  const row = rows[0];
  if (!row) return { held: false, cancel_requested: false };
  await tx.$executeRaw`
    update workspace_locks set lease_until = clock_timestamp() + ${lease_ms} * interval '1 millisecond'
    where tenant_id = ${run.tenant_id}::uuid and run_id = ${run.id}::uuid`;
  return { held: true, cancel_requested: row.cancel };
}

/** `binding`: the credential that it was given in the end. */
export async function markRunning(tx: Tx, run: Run, attempt_id: string, binding: string): Promise<void> {
  const { count } = await tx.run.updateMany({
    where: { tenant_id: run.tenant_id, id: run.id, attempt_id, status: 'starting' },
    data: { status: 'running', binding },
  });
  if (count > 0) await tellRun(tx, run, 'running');
}

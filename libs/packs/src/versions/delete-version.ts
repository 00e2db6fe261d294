import { RUN_STATUSES, type Caller, type RunStatus } from '@hcp/core';
import type { Database } from '@hcp/database';
import { auditPackAct, bumpEpoch } from './audit.js';
import { PACK_NOT_FOUND, packRefusal, type PackRefusal } from './refusal.js';
import { publishProblem } from './rights.js';
import { isForeignKeyViolation } from './violations.js';

const UNFINISHED: RunStatus[] = RUN_STATUSES.filter((status) => ['queued', 'starting', 'running'].includes(status));

/**
 * Removes an installed version that nothing uses: it is active nowhere, and no run that has not ended pins it. For a
 * version of the platform that counts in every tenant; the database says so, since an operator reads no tenant's rows.
 */
export async function deleteVersion(
  db: Database,
  caller: Caller,
  target: { readonly pack_id: string; readonly version: string },
  now: Date,
): Promise<{ readonly ok: true } | PackRefusal> {
  const refusal = publishProblem(caller, target.pack_id, now);
  if (refusal) return refusal;
  try {
    return await remove(db, caller, target);
  } catch (error) {
    // Another tenant has a version of the platform active, or a run of it came in between.
    if (!isForeignKeyViolation(error)) throw error;
    return packRefusal(
      'version_in_use',
      `${target.pack_id} ${target.version} is active or has runs that have not ended`,
    );
  }
}

function remove(
  db: Database,
  caller: Caller,
  { pack_id, version }: { readonly pack_id: string; readonly version: string },
): Promise<{ readonly ok: true } | PackRefusal> {
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx) => {
    // Against an activation at the same moment, which takes the same lock.
    await bumpEpoch(tx, tenant_id);
    const row = await tx.packVersion.findUnique({
      where: { tenant_id_pack_id_version: { tenant_id, pack_id, version } },
      select: { id: true, digest: true },
    });
    if (!row) {
      const where = { pack_id, version, platform: true };
      if (!(await tx.packVersion.findFirst({ where, select: { id: true } }))) return PACK_NOT_FOUND;
      return packRefusal('reserved_pack_id', `${pack_id} is a pack of the platform; deactivate it instead`);
    }
    const active = await tx.packActivation.count({ where: { tenant_id, version_id: row.id } });
    if (active > 0) return packRefusal('version_in_use', `${pack_id} ${version} is active; deactivate it first`);
    const runs = await tx.run.count({ where: { tenant_id, pack_version_id: row.id, status: { in: UNFINISHED } } });
    if (runs > 0) return packRefusal('version_in_use', `${pack_id} ${version} has runs that have not ended`);
    await tx.packVersion.delete({ where: { tenant_id_id: { tenant_id, id: row.id } }, select: { id: true } });
    const details = { digest: row.digest };
    await auditPackAct(tx, caller, { action: 'pack.delete', pack_id, version, project_id: null, details });
    return { ok: true };
  });
}

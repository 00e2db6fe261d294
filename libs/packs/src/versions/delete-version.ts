import { RUN_STATUSES, type Caller, type RunStatus } from '@hcp/core';
import type { Database } from '@hcp/database';
import { auditPackAct, bumpEpoch } from './audit.js';
import { PACK_NOT_FOUND, packRefusal, type PackRefusal } from './refusal.js';
import { manageProblem } from './rights.js';

const UNFINISHED: RunStatus[] = RUN_STATUSES.filter((status) => ['queued', 'starting', 'running'].includes(status));

/** Removes an installed version that nothing uses: it is active nowhere, and no run that has not ended pins it. */
export async function deleteVersion(
  db: Database,
  caller: Caller,
  target: { readonly pack_id: string; readonly version: string },
  now: Date,
): Promise<{ readonly ok: true } | PackRefusal> {
  const refusal = manageProblem(caller, { pack_id: target.pack_id, project_id: null }, now);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const { pack_id, version } = target;
  return db.tenant(tenant_id, async (tx) => {
    // Against an activation at the same moment, which takes the same lock.
    await bumpEpoch(tx, tenant_id);
    const row = await tx.packVersion.findUnique({
      where: { tenant_id_pack_id_version: { tenant_id, pack_id, version } },
      select: { id: true, digest: true },
    });
    if (!row) return PACK_NOT_FOUND;
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

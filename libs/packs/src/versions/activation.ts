import { HCP_CLI_PACK_ID, type Caller } from '@hcp/core';
import type { Database, Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { auditPackAct, bumpEpoch } from './audit.js';
import { PACK_NOT_FOUND, packRefusal, type PackRefusal } from './refusal.js';
import { isPerson, manageProblem } from './rights.js';
import { latestOf } from './semver-order.js';

export interface ActivationTarget {
  readonly pack_id: string;
  /** Null: the whole tenant. */
  readonly project_id: string | null;
}

export interface Activated {
  readonly ok: true;
  readonly pack_id: string;
  readonly project_id: string | null;
  readonly version: string;
  readonly digest: string;
  readonly activated_at: Date;
  /** What was active there before; null for nothing. */
  readonly previous_version: string | null;
}

/**
 * Makes a version the active one of the tenant or of one project, which wins there (SPEC P8). Also the way back to an
 * older version. Only a person does it, so that nothing new runs because a machine uploaded it (SPEC P7).
 *
 * @param version the latest by semver when left out.
 */
export async function activatePack(
  db: Database,
  caller: Caller,
  target: ActivationTarget & { readonly version?: string },
  now: Date,
): Promise<Activated | PackRefusal> {
  if (!isPerson(caller)) return packRefusal('human_only', 'only a person activates a version');
  const refusal = targetProblem(caller, target, now);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const { pack_id, project_id } = target;
  return db.tenant(tenant_id, async (tx) => {
    await bumpEpoch(tx, tenant_id);
    if (!(await projectIsThere(tx, tenant_id, project_id))) return NO_PROJECT;
    const installed = await tx.packVersion.findMany({
      where: { tenant_id, pack_id, ...(target.version !== undefined && { version: target.version }) },
      select: { id: true, version: true, digest: true },
    });
    const chosen = latestOf(installed);
    if (!chosen) return PACK_NOT_FOUND;
    const previous = await current(tx, tenant_id, target);
    let activated_at = previous?.activated_at;
    if (previous?.version_id !== chosen.id || !activated_at) {
      activated_at = await replace(tx, caller, target, chosen.id);
      await auditPackAct(tx, caller, {
        action: 'pack.activate',
        pack_id,
        version: chosen.version,
        project_id,
        details: { digest: chosen.digest, previous_version: previous?.version ?? null },
      });
    }
    const { version, digest } = chosen;
    const previous_version = previous?.version ?? null;
    return { ok: true, pack_id, project_id, version, digest, activated_at, previous_version };
  });
}

/** Takes a pack out of use in the tenant or one project; runs that have not started stop at the fence (SPEC P8, R2). */
export async function deactivatePack(
  db: Database,
  caller: Caller,
  target: ActivationTarget,
  now: Date,
): Promise<{ readonly ok: true; readonly changed: boolean } | PackRefusal> {
  const refusal = targetProblem(caller, target, now);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const { pack_id, project_id } = target;
  return db.tenant(tenant_id, async (tx) => {
    await bumpEpoch(tx, tenant_id);
    if (!(await projectIsThere(tx, tenant_id, project_id))) return NO_PROJECT;
    const installed = await tx.packVersion.findFirst({ where: { tenant_id, pack_id }, select: { id: true } });
    if (!installed) return PACK_NOT_FOUND;
    const previous = await current(tx, tenant_id, target);
    if (!previous) return { ok: true, changed: false };
    await tx.packActivation.deleteMany({ where: { tenant_id, pack_id, project_id } });
    await auditPackAct(tx, caller, {
      action: 'pack.deactivate',
      pack_id,
      version: previous.version,
      project_id,
      details: {},
    });
    return { ok: true, changed: true };
  });
}

const NO_PROJECT = packRefusal('not_found', 'no such project');

function targetProblem(caller: Caller, target: ActivationTarget, now: Date): PackRefusal | null {
  const refusal = manageProblem(caller, target, now);
  if (refusal) return refusal;
  return target.pack_id === HCP_CLI_PACK_ID ? packRefusal('reserved_pack_id', 'hcp-cli is always active') : null;
}

async function projectIsThere(tx: Tx, tenant_id: string, id: string | null): Promise<boolean> {
  if (id === null) return true;
  return (await tx.project.findUnique({ where: { tenant_id_id: { tenant_id, id } }, select: { id: true } })) !== null;
}

async function current(
  tx: Tx,
  tenant_id: string,
  { pack_id, project_id }: ActivationTarget,
): Promise<{ version_id: string; version: string; activated_at: Date } | null> {
  const row = await tx.packActivation.findFirst({
    where: { tenant_id, pack_id, project_id },
    select: { version_id: true, activated_at: true },
  });
  if (!row) return null;
  const { version } = await tx.packVersion.findUniqueOrThrow({
    where: { tenant_id_id: { tenant_id, id: row.version_id } },
    select: { version: true },
  });
  return { ...row, version };
}

/** Delete and insert instead of an update: `activated_by` and `activated_at` belong to the new version. */
async function replace(tx: Tx, caller: Caller, target: ActivationTarget, version_id: string): Promise<Date> {
  const { tenant_id } = caller;
  const { pack_id, project_id } = target;
  await tx.packActivation.deleteMany({ where: { tenant_id, pack_id, project_id } });
  const { activated_at } = await tx.packActivation.create({
    data: { tenant_id, id: uuidv7(), pack_id, version_id, project_id, activated_by: caller.principal.id },
    select: { activated_at: true },
  });
  return activated_at;
}

import { HCP_CLI_PACK_ID, type Caller } from '@hcp/core';
import type { Database, Tx } from '@hcp/database';
import { packStarts } from '@hcp/sense';
import { v7 as uuidv7 } from 'uuid';
import { readable } from '../facts/readable.js';
import { auditPackAct, bumpEpoch } from './audit.js';
import { PACK_NOT_FOUND, packRefusal, type PackRefusal } from './refusal.js';
import { isPerson, manageProblem } from './rights.js';
import { latestOf } from './semver-order.js';

export interface ActivationTarget {
  readonly pack_id: string;
  /** Null: the whole tenant. */
  readonly project_id: string | null;
}

const VERSION_FIELDS = {
  tenant_id: true,
  id: true,
  platform: true,
  pack_id: true,
  version: true,
  digest: true,
} as const;

interface VersionRow {
  readonly tenant_id: string;
  readonly id: string;
  readonly platform: boolean;
  readonly pack_id: string;
  readonly version: string;
  readonly digest: string;
}

/** How far back a way back looks for a version that is still installed. */
const MAX_LOG = 200;

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
 * older version. Only a person does it, so that nothing new runs because a machine uploaded it (SPEC P7). What is
 * activated is one immutable version with one digest, also for a pack of the platform: a newer one that is published
 * changes nothing until a person activates it here.
 *
 * @param version the latest by semver when left out.
 * @param digest refuses another content than the person looked at.
 */
export async function activatePack(
  db: Database,
  caller: Caller,
  target: ActivationTarget & { readonly version?: string; readonly digest?: string },
  now: Date,
): Promise<Activated | PackRefusal> {
  return change(db, caller, target, now, async (tx) => {
    const where = { pack_id: target.pack_id, ...(target.version !== undefined && { version: target.version }) };
    const installed = await tx.packVersion.findMany({
      where: { ...where, ...readable(caller.tenant_id) },
      select: VERSION_FIELDS,
    });
    const chosen = latestOf(installed);
    if (!chosen) return PACK_NOT_FOUND;
    if (target.digest !== undefined && target.digest !== chosen.digest) {
      return packRefusal('digest_mismatch', `${chosen.pack_id} ${chosen.version} has another digest`);
    }
    return { chosen, action: 'pack.activate' };
  });
}

/**
 * Goes back to the version that was active before the present one, in the tenant or in one project. Doing it twice leads
 * back again.
 *
 * @param from_version refuses where another version than this is active by now: of two people who go back at once, the
 *   second does not undo the first.
 */
export async function rollbackPack(
  db: Database,
  caller: Caller,
  target: ActivationTarget & { readonly from_version?: string },
  now: Date,
): Promise<Activated | PackRefusal> {
  const { pack_id, project_id } = target;
  return change(db, caller, target, now, async (tx, present) => {
    if (!present) {
      const where = { pack_id, ...readable(caller.tenant_id) };
      if (!(await tx.packVersion.findFirst({ where, select: { id: true } }))) return PACK_NOT_FOUND;
      return packRefusal('nothing_before', `${pack_id} is not active there; activate a version of it`);
    }
    if (target.from_version !== undefined && target.from_version !== present.version) {
      return packRefusal('nothing_before', `${pack_id} ${target.from_version} is not the active version any more`);
    }
    const chosen = await versionBefore(tx, caller.tenant_id, { pack_id, project_id }, present.version_id);
    if (!chosen)
      return packRefusal('nothing_before', `no other version of ${pack_id} that was active there is installed`);
    return { chosen, action: 'pack.rollback' };
  });
}

interface Chosen {
  readonly chosen: VersionRow;
  readonly action: 'pack.activate' | 'pack.rollback';
}

/** One change of what is active; the tenant's row is locked from the first statement on, so changes come one by one. */
async function change(
  db: Database,
  caller: Caller,
  target: ActivationTarget,
  now: Date,
  choose: (tx: Tx, present: Present | null) => Promise<Chosen | PackRefusal>,
): Promise<Activated | PackRefusal> {
  if (!isPerson(caller)) return packRefusal('human_only', 'only a person activates a version');
  const refusal = targetProblem(caller, target, now);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const { pack_id, project_id } = target;
  return db.tenant(tenant_id, async (tx) => {
    await bumpEpoch(tx, tenant_id);
    if (!(await projectIsThere(tx, tenant_id, project_id))) return NO_PROJECT;
    const present = await current(tx, tenant_id, target);
    const choice = await choose(tx, present);
    if ('ok' in choice) return choice;
    const { chosen, action } = choice;
    const { version, digest } = chosen;
    const previous_version = present?.version ?? null;
    let activated_at = present?.activated_at;
    if (present?.version_id !== chosen.id || !activated_at) {
      activated_at = await replace(tx, caller, target, chosen);
      const details = { digest, previous_version };
      await auditPackAct(tx, caller, { action, pack_id, version, project_id, details });
    }
    await packStarts(tx, { tenant_id, pack_id });
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
    const where = { pack_id, ...readable(tenant_id) };
    const installed = await tx.packVersion.findFirst({ where, select: { id: true } });
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

interface Present {
  readonly version_id: string;
  readonly version: string;
  readonly activated_at: Date;
}

async function current(tx: Tx, tenant_id: string, { pack_id, project_id }: ActivationTarget): Promise<Present | null> {
  const row = await tx.packActivation.findFirst({
    where: { tenant_id, pack_id, project_id },
    select: { version_id: true, activated_at: true },
  });
  if (!row) return null;
  const { version } = await tx.packVersion.findFirstOrThrow({
    where: { id: row.version_id, ...readable(tenant_id) },
    select: { version: true },
  });
  return { ...row, version };
}

/** The version that was active there last before the present one, of those that are still installed. */
async function versionBefore(
  tx: Tx,
  tenant_id: string,
  { pack_id, project_id }: ActivationTarget,
  present_id: string,
): Promise<VersionRow | null> {
  const log = await tx.packActivationLog.findMany({
    where: { tenant_id, pack_id, project_id, version_id: { not: present_id } },
    orderBy: { id: 'desc' },
    take: MAX_LOG,
    select: { version_id: true },
  });
  const installed = await tx.packVersion.findMany({
    where: { pack_id, ...readable(tenant_id) },
    select: VERSION_FIELDS,
  });
  const by_id = new Map(installed.map((row) => [row.id, row]));
  return log.map(({ version_id }) => by_id.get(version_id)).find((row) => row !== undefined) ?? null;
}

/** Delete and insert instead of an update: `activated_by` and `activated_at` belong to the new version. */
async function replace(tx: Tx, caller: Caller, target: ActivationTarget, chosen: VersionRow): Promise<Date> {
  const { tenant_id } = caller;
  const { pack_id, project_id } = target;
  const what = { tenant_id, pack_id, project_id, version_id: chosen.id, activated_by: caller.principal.id };
  await tx.packActivation.deleteMany({ where: { tenant_id, pack_id, project_id } });
  const { activated_at } = await tx.packActivation.create({
    data: { ...what, id: uuidv7(), version_tenant_id: chosen.tenant_id, platform: chosen.platform },
    select: { activated_at: true },
  });
  const { version, digest } = chosen;
  await tx.packActivationLog.create({ data: { ...what, id: uuidv7(), version, digest }, select: { id: true } });
  return activated_at;
}

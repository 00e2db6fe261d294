import { HCP_CLI_PACK_ID, type Caller, type PackFacts } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { HCP_CLI_PACK } from '@hcp/pack-files';
import { packOfVersion } from './pack-cache.js';
import { readable } from './readable.js';

export interface FactsQuery {
  readonly pack_id: string;
  /** The project of the call; its activation wins over the tenant's (SPEC P8). */
  readonly project_id: string | null;
  readonly caller: Pick<Caller, 'tenant_id' | 'session'>;
}

/** Which version is active. `tenant_id` is whose it is: the caller's tenant, or with `platform` the platform's. */
export interface ActiveVersion {
  readonly version_id: string;
  readonly tenant_id: string;
  readonly platform: boolean;
}

/**
 * `version_id` is null where nothing is active, and for hcp-cli, which is no row. `owner` says whose the version is, and
 * is null where `version_id` is.
 */
export type LoadedFacts = PackFacts & {
  readonly version_id: string | null;
  readonly owner: Pick<ActiveVersion, 'tenant_id' | 'platform'> | null;
};

const NOTHING = { pack: null, version_id: null, owner: null } as const;

/**
 * What a decision needs to know of a pack, read in the decision's own transaction: whether the tenant has it, of its own
 * or from the platform, and the version that is active for this project and session (SPEC E3 step 1, P7, T4).
 */
export async function loadFacts(tx: Tx, { pack_id, project_id, caller }: FactsQuery): Promise<LoadedFacts> {
  if (pack_id === HCP_CLI_PACK_ID) return { ...NOTHING, known: true, active: true, pack: HCP_CLI_PACK };
  const { tenant_id, session } = caller;
  const version = await activeVersion(tx, tenant_id, pack_id, project_id);
  if (version !== null) {
    // The kill switch (SPEC T5): as if nothing were active. The platform's counts for its own packs in every tenant.
    const by = [{ tenant_id }, ...(version.platform ? [{ platform: true }] : [])];
    const stopped = await tx.packStop.findFirst({ where: { pack_id, OR: by }, select: { pack_id: true } });
    if (stopped) return { ...NOTHING, known: true, active: false };
  } else {
    const where = { pack_id, ...readable(tenant_id) };
    const installed = await tx.packVersion.findFirst({ where, select: { id: true } });
    return { ...NOTHING, known: installed !== null, active: false };
  }
  const in_session = session.packs === null || session.packs.includes(pack_id);
  const pack = in_session ? await packOfVersion(tx, tenant_id, version.version_id) : null;
  if (pack === null) return { ...NOTHING, known: true, active: false };
  return {
    known: true,
    active: true,
    pack,
    version_id: version.version_id,
    owner: { tenant_id: version.tenant_id, platform: version.platform },
  };
}

/** The version that is active in the project, else in the tenant. */
export async function activeVersion(
  tx: Tx,
  tenant_id: string,
  pack_id: string,
  project_id: string | null,
): Promise<ActiveVersion | null> {
  const rows = await tx.packActivation.findMany({
    where: { tenant_id, pack_id, OR: [{ project_id: null }, ...(project_id ? [{ project_id }] : [])] },
    select: { version_id: true, version_tenant_id: true, platform: true, project_id: true },
  });
  const row = rows.find((candidate) => candidate.project_id !== null) ?? rows[0];
  return row ? { version_id: row.version_id, tenant_id: row.version_tenant_id, platform: row.platform } : null;
}

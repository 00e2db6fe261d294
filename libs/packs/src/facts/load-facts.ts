import { HCP_CLI_PACK_ID, type Caller, type PackFacts } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { HCP_CLI_PACK } from '../hcp-cli/pack.js';
import { packOfVersion } from './pack-cache.js';

export interface FactsQuery {
  readonly pack_id: string;
  /** The project of the call; its activation wins over the tenant's (SPEC P8). */
  readonly project_id: string | null;
  readonly caller: Pick<Caller, 'tenant_id' | 'session'>;
}

/** `version_id` is null where nothing is active, and for hcp-cli, which is no row. */
export type LoadedFacts = PackFacts & { readonly version_id: string | null };

/**
 * What a decision needs to know of a pack, read in the decision's own transaction: whether the tenant has it, and the
 * version that is active for this project and session (SPEC E3 step 1, T4).
 */
export async function loadFacts(tx: Tx, { pack_id, project_id, caller }: FactsQuery): Promise<LoadedFacts> {
  if (pack_id === HCP_CLI_PACK_ID) return { known: true, active: true, pack: HCP_CLI_PACK, version_id: null };
  const { tenant_id, session } = caller;
  const version_id = await activeVersion(tx, tenant_id, pack_id, project_id);
  if (version_id === null) {
    const installed = await tx.packVersion.findFirst({ where: { tenant_id, pack_id }, select: { id: true } });
    return { known: installed !== null, active: false, pack: null, version_id: null };
  }
  const in_session = session.packs === null || session.packs.includes(pack_id);
  if (!in_session) return { known: true, active: false, pack: null, version_id: null };
  const pack = await packOfVersion(tx, tenant_id, version_id);
  return { known: true, active: pack !== null, pack, version_id: pack && version_id };
}

/** The version that is active in the project, else in the tenant. */
export async function activeVersion(
  tx: Tx,
  tenant_id: string,
  pack_id: string,
  project_id: string | null,
): Promise<string | null> {
  const rows = await tx.packActivation.findMany({
    where: { tenant_id, pack_id, OR: [{ project_id: null }, ...(project_id ? [{ project_id }] : [])] },
    select: { version_id: true, project_id: true },
  });
  const row = rows.find((candidate) => candidate.project_id !== null) ?? rows[0];
  return row?.version_id ?? null;
}

import type { Caller, Pack } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { getPack, loadFacts } from '@hcp/packs';

/** The version that runs there; before any is active, the one that would be next. */
export async function loadPack(
  tx: Tx,
  caller: Caller,
  pack_id: string,
  project_id: string | null,
): Promise<Pack | null> {
  const { pack } = await loadFacts(tx, { pack_id, project_id, caller });
  return pack ?? (await getPack(tx, caller, pack_id, new Date()))?.pack ?? null;
}

import {
  commandAccess,
  loadNested,
  type AccessLayers,
  HCP_CLI_PACK_ID,
  type Caller,
  type Command,
  type CommandAccess,
  type Pack,
  type PolicyRow,
} from '@hcp/core';
import type { Tx } from '@hcp/database';
import { loadFacts } from '../facts/load-facts.js';
import { seesPack } from './rights.js';

/** One command of an active pack, and what a call of it would get now (SPEC A9). */
export interface CommandView {
  readonly pack: Pack;
  readonly verb_key: string;
  readonly command: Command;
  readonly row: PolicyRow;
  readonly access: CommandAccess;
}

export interface CommandsQuery {
  /** Judge as if the call were made in this project. */
  readonly project_id: string | null;
  /** Only this pack. */
  readonly pack_id?: string;
  /** What was set for the caller in the project. */
  readonly access: (tx: Tx, project_id: string | null) => Promise<AccessLayers>;
}

/**
 * The commands of the packs that are active for the caller, by pack and verb. Every face lists these and no others, so
 * that a narrow key sees the same through each. Null where the project is not there, or not the session's.
 */
export async function listCommands(
  tx: Tx,
  caller: Caller,
  query: CommandsQuery,
  now: Date,
): Promise<readonly CommandView[] | null> {
  const { tenant_id, session } = caller;
  if (query.project_id !== null) {
    if (session.project_id !== null && session.project_id !== query.project_id) return null;
    const where = { tenant_id_id: { tenant_id, id: query.project_id } };
    if (!(await tx.project.findUnique({ where, select: { id: true } }))) return null;
  }
  const project_id = query.project_id ?? session.project_id;
  const active = await tx.packActivation.findMany({
    where: { tenant_id, OR: [{ project_id: null }, ...(project_id ? [{ project_id }] : [])] },
    select: { pack_id: true },
    distinct: ['pack_id'],
  });
  const ids = [HCP_CLI_PACK_ID, ...active.map(({ pack_id }) => pack_id)]
    .filter((pack_id) => (query.pack_id ?? pack_id) === pack_id && seesPack(caller, pack_id, now))
    .sort();
  const layers = await query.access(tx, project_id);
  const views: CommandView[] = [];
  for (const pack_id of ids) {
    const facts = await loadFacts(tx, { pack_id, project_id, caller });
    if (!facts.active || !facts.pack) continue;
    const { pack } = facts;
    for (const [verb_key, command] of Object.entries(pack.surface.commands).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const row = pack.policy.commands[verb_key];
      if (!row) continue;
      const nested = await loadNested(pack, verb_key, (id) => loadFacts(tx, { pack_id: id, project_id, caller }));
      const judged = { caller, facts: { ...facts, pack }, verb_key, project_id, access: layers, nested, now };
      const access = commandAccess(judged);
      views.push({ pack, verb_key, command, row, access });
    }
  }
  return views;
}

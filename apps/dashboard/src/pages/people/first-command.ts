import type { PackDetail } from '@hcp/contracts';
import { HCP_CLI_PACK_ID } from '@hcp/core';
import { queryClient } from '../../app/queries.js';
import { packCommands } from './queries.js';
import type { Reach } from './reach-of.js';

/** A call that somebody new may make. */
export interface FirstCommand {
  readonly pack_id: string;
  readonly verb_key: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const covers = ({ where, packs }: Reach, pack_id: string): boolean =>
  where === 'all' || (where === 'some' && packs.includes(pack_id));

/** Of a pack that was chosen for it; else of the built-in one where it reads everywhere. Null: there is none. */
export async function firstCommand(read: Reach, write: Reach): Promise<FirstCommand | null> {
  const chosen = [read, write].flatMap(({ where, packs }) => (where === 'some' ? packs : []));
  for (const pack_id of new Set(chosen)) {
    // A call to begin with is a help; the key is there without it.
    const pack = await queryClient.fetchQuery(packCommands(pack_id)).catch(() => null);
    const command = pack && simplest(pack, covers(read, pack_id), covers(write, pack_id));
    if (command) return command;
  }
  return read.where === 'all' ? { pack_id: HCP_CLI_PACK_ID, verb_key: 'hcp.list', args: {} } : null;
}

/** What reads before what writes, and what needs few arguments before what needs many. */
function simplest(pack: PackDetail, reads: boolean, writes: boolean): FirstCommand | null {
  if (!pack.activations.some(({ project_id }) => project_id === null)) return null;
  const [first] = pack.commands
    .filter(({ operation }) => (operation === 'read' ? reads : writes))
    .map(({ verb_key, operation, args }) => ({ verb_key, operation, args: needed(args) }))
    .sort((a, b) => rank(a) - rank(b));
  return first ? { pack_id: pack.pack_id, verb_key: first.verb_key, args: first.args } : null;
}

const rank = ({ operation, args }: { operation: string; args: object }): number =>
  (operation === 'read' ? 0 : 1000) + Object.keys(args).length;

/** Each required argument with a value that says what goes there. */
function needed(args: unknown): Record<string, unknown> {
  const { required } = (args ?? {}) as { required?: unknown };
  const names = Array.isArray(required) ? required.map(String) : [];
  return Object.fromEntries(names.map((name) => [name, `<${name}>`]));
}

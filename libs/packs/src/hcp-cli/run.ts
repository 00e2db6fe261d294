import type { Caller, Pack } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { HCP_CLI_PACK, hcpCliHint } from '@hcp/pack-files';
import { loadFacts } from '../facts/load-facts.js';
import { getPack, listPacks, packSkill } from '../versions/views.js';

export interface HcpCliContext {
  /** In the caller's tenant. */
  readonly tx: Tx;
  readonly caller: Caller;
  readonly project_id?: string | null;
  /** What the host knows of its own health; asked only for hcp.doctor. */
  readonly doctor: () => Promise<object>;
  /** Whether the credential that a pack's commands need is there; null where they need none. Asked for hcp.availability. */
  readonly binding?: (pack: Pack) => Promise<BindingState | null>;
  readonly now: Date;
}

export interface BindingState {
  readonly family: string;
  /** `active`: it is there. */
  readonly state: 'active' | 'missing' | 'expired' | 'stale' | 'revoked';
  readonly needed_by: 'some' | 'all';
}

const MAX_PACKS = 1_000;

/**
 * Runs a command of hcp-cli in process (SPEC W6). The pipeline has decided before: here is no further right but what
 * the caller may see.
 *
 * @returns a JSON object; `{ ok: false, error }` where the named pack is not there.
 */
export async function runHcpCli(
  verb_key: string,
  args: Readonly<Record<string, unknown>>,
  ctx: HcpCliContext,
): Promise<object> {
  const hint = hcpCliHint(verb_key);
  if (hint !== null) return { deferred_to_cli: true, hint };
  switch (verb_key) {
    case 'hcp.doctor':
      return await ctx.doctor();
    case 'hcp.list':
      return await list(ctx);
    case 'hcp.availability':
      return availability(ctx, args['pack']);
    case 'hcp.skill':
      return skill(ctx, args['pack'], args['full'] === true || args['full'] === 'true');
    default:
      return failed(`${HCP_CLI_PACK.manifest.pack_id} has no such command`);
  }
}

async function list({ tx, caller, now }: HcpCliContext): Promise<object> {
  const { items } = await listPacks(tx, caller, { limit: MAX_PACKS, after: null }, now);
  return { packs: items.map(({ pack: _, ...view }) => view) };
}

async function availability(ctx: HcpCliContext, pack: unknown): Promise<object> {
  const { tx, caller, now } = ctx;
  const { items } = await listPacks(tx, caller, { limit: MAX_PACKS, after: null }, now);
  const asked = pack === undefined || pack === null ? items : items.filter(({ pack_id }) => pack_id === pack);
  if (pack !== undefined && pack !== null && asked.length === 0) return failed('no such pack');
  const packs = [];
  for (const { pack_id } of asked) {
    const facts = await loadFacts(tx, { pack_id, project_id: ctx.project_id ?? caller.session.project_id, caller });
    const binding = facts.active && facts.pack && ctx.binding ? await ctx.binding(facts.pack) : null;
    const unbound = binding !== null && binding.state !== 'active';
    packs.push({
      pack_id,
      available: facts.active && !(unbound && binding.needed_by === 'all'),
      version: facts.pack?.manifest.version ?? null,
      ...(binding && { binding }),
      why: facts.active ? (unbound ? whyUnbound(binding) : null) : 'not activated here',
    });
  }
  return { packs };
}

function whyUnbound({ family, state, needed_by }: BindingState): string {
  const which = needed_by === 'all' ? 'its commands need' : 'some of its commands need';
  return `${which} a ${family} binding, which is ${state}; a person connects it with \`hcpx bindings add\``;
}

async function skill({ tx, caller, now }: HcpCliContext, pack: unknown, full: boolean): Promise<object> {
  const found = typeof pack === 'string' ? await packSkill(tx, caller, { pack_id: pack, full }, now) : null;
  if (!found) return failed('no such pack');
  const known = full ? null : await getPack(tx, caller, found.pack_id, now);
  return { ...found, full, commands: known ? Object.keys(known.pack.surface.commands) : undefined };
}

function failed(error: string): object {
  return { ok: false, error };
}

import { allows } from '../authz/allows.js';
import { requiredCapability } from '../authz/authorize.js';
import type { Denial } from '../errors/codes.js';
import { findCommand, findPolicyRow } from '../packs/lookup.js';
import type { Pack } from '../packs/pack.js';
import { LANDS, OPERATIONS, type PolicyRow } from '../packs/policy.js';
import type { Command } from '../packs/surface.js';
import { nearest } from '../text/nearest.js';
import type { DecideRequest } from './types.js';

/** The built-in pack, active in every session (SPEC P8). */
export const HCP_CLI_PACK_ID = 'hcp-cli';

export type Resolved = { ok: true; pack: Pack; command: Command; row: PolicyRow } | { ok: false; denial: Denial };

/** Step 1: pack known, active here, and with a policy row for the command (SPEC E3). */
export function resolve(request: DecideRequest): Resolved {
  const { envelope, caller, facts } = request;
  const { pack_id, verb_key } = envelope;
  if (!facts.known) {
    return refuse('unknown_pack', `unknown pack ${pack_id}`, 'Look at the list of packs for those that there are.');
  }
  const { packs } = caller.session;
  const in_session = packs === null || packs.includes(pack_id) || pack_id === HCP_CLI_PACK_ID;
  if (!facts.active || facts.pack === null || !in_session) {
    const hint = in_session
      ? 'A person who may install packs has to activate it for this tenant or project.'
      : 'This session is narrowed to other packs; open one that includes it.';
    return refuse('pack_not_activated', `pack ${pack_id} not activated`, hint);
  }
  const { pack } = facts;
  const command = findCommand(pack, verb_key);
  const row = findPolicyRow(pack, verb_key);
  if (command === null || row === null) {
    return refuse('no_policy', `no policy for ${verb_key}`, meant(request, pack));
  }
  // A row that this runtime cannot read is no policy: a newer pack format must not loosen anything.
  if (!isOneOf(OPERATIONS, row.operation) || !isOneOf(LANDS, row.privacy.land)) {
    return refuse('no_policy', `no policy for ${verb_key}`, 'Its policy row names an operation or land unknown here.');
  }
  return { ok: true, pack, command, row };
}

/** Names that are near, and the rest as far as there is room; those alone that the caller may run. */
function meant({ envelope, caller, project_id, now }: DecideRequest, pack: Pack): string {
  const { pack_id, verb_key } = envelope;
  const may = Object.keys(pack.surface.commands).filter((name) => {
    const row = findPolicyRow(pack, name);
    if (row === null || !isOneOf(OPERATIONS, row.operation)) return false;
    const capability = requiredCapability(row.operation);
    const need = { capability, pack_id, verb_key: name, project_id: project_id ?? caller.session.project_id };
    return allows(caller.authority, need, now);
  });
  if (may.length === 0) return `Look at the list of commands for those of ${pack_id} that you may run.`;
  const near = nearest(verb_key, may);
  const more = may.length > MAX_NAMED ? ', …' : '';
  const has = `You may run of ${pack_id}: ${may.slice(0, MAX_NAMED).join(', ')}${more}.`;
  return near === null ? has : `Did you mean ${near}? ${has}`;
}

const MAX_NAMED = 12;

const isOneOf = (known: readonly string[], value: string): boolean => known.includes(value);

const refuse = (code: Denial['code'], error: string, hint: string): Resolved => ({
  ok: false,
  denial: { code, error, hint },
});

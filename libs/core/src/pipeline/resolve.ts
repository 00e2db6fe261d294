import type { Denial } from '../errors/codes.js';
import { findCommand, findPolicyRow } from '../packs/lookup.js';
import type { Pack } from '../packs/pack.js';
import { LANDS, OPERATIONS, type PolicyRow } from '../packs/policy.js';
import type { Command } from '../packs/surface.js';
import type { DecideRequest } from './types.js';

/** The built-in pack, active in every session (SPEC P8). */
export const HCP_CLI_PACK_ID = 'hcp-cli';

export type Resolved = { ok: true; pack: Pack; command: Command; row: PolicyRow } | { ok: false; denial: Denial };

/** Step 1: pack known, active here, and with a policy row for the command (SPEC E3). */
export function resolve({ envelope, caller, facts }: DecideRequest): Resolved {
  const { pack_id, verb_key } = envelope;
  if (!facts.known) {
    return refuse('unknown_pack', `unknown pack ${pack_id}`, 'Ask GET /v1/packs for the packs that this tenant has.');
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
    return refuse('no_policy', `no policy for ${verb_key}`, `GET /v1/packs/${pack_id} lists the pack's commands.`);
  }
  // A row that this runtime cannot read is no policy: a newer pack format must not loosen anything.
  if (!isOneOf(OPERATIONS, row.operation) || !isOneOf(LANDS, row.privacy.land)) {
    return refuse('no_policy', `no policy for ${verb_key}`, 'Its policy row names an operation or land unknown here.');
  }
  return { ok: true, pack, command, row };
}

const isOneOf = (known: readonly string[], value: string): boolean => known.includes(value);

const refuse = (code: Denial['code'], error: string, hint: string): Resolved => ({
  ok: false,
  denial: { code, error, hint },
});

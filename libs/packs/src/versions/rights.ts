import { allows, HCP_CLI_PACK_ID, PACK_CAPABILITIES, type Caller, type Grant } from '@hcp/core';
import { packRefusal, type PackRefusal } from './refusal.js';

/**
 * Whether the caller may see that a pack is there: its session reaches the pack, and each layer of its rights has some
 * grant for it. hcp-cli is everybody's.
 */
export function seesPack(caller: Caller, pack_id: string, now: Date): boolean {
  if (pack_id === HCP_CLI_PACK_ID) return true;
  if (caller.session.packs !== null && !caller.session.packs.includes(pack_id)) return false;
  const { layers } = caller.authority;
  return layers.length > 0 && layers.every((layer) => layer.some((grant) => touches(grant, pack_id, now)));
}

/** Installing, deleting, activating: `pack.install` for that pack and scope, by no agent (SPEC P7, A8, G5). */
export function manageProblem(
  caller: Caller,
  target: { readonly pack_id: string; readonly project_id: string | null },
  now: Date,
): PackRefusal | null {
  if (isAgent(caller)) return packRefusal('human_only', 'agents do not manage packs; ask a person');
  const { session } = caller;
  const in_session =
    (session.packs === null || session.packs.includes(target.pack_id)) &&
    (session.project_id === null || session.project_id === target.project_id);
  const request = {
    capability: 'pack.install' as const,
    pack_id: target.pack_id,
    ...(target.project_id !== null && { project_id: target.project_id }),
  };
  if (in_session && allows(caller.authority, request, now)) return null;
  return packRefusal('missing_capability', `missing pack.install for ${target.pack_id}`);
}

/**
 * Installing and deleting versions: as {@link manageProblem} for the whole tenant, and in the platform tenant, where it
 * reaches every tenant, `platform.manage` too (SPEC P7).
 */
export function publishProblem(caller: Caller, pack_id: string, now: Date): PackRefusal | null {
  const problem = manageProblem(caller, { pack_id, project_id: null }, now);
  if (problem || !caller.platform) return problem;
  if (allows(caller.authority, { capability: 'platform.manage' }, now)) return null;
  return packRefusal('missing_capability', `missing platform.manage for ${pack_id}`);
}

/** A person, on a call that no agent makes (SPEC P7: a new version is activated by a person). */
export function isPerson(caller: Caller): boolean {
  return caller.principal.kind === 'human' && !caller.is_agent;
}

export function isAgent(caller: Caller): boolean {
  return caller.principal.kind === 'agent' || caller.is_agent;
}

function touches(grant: Grant, pack_id: string, now: Date): boolean {
  return (
    (PACK_CAPABILITIES as readonly string[]).includes(grant.capability) &&
    (grant.pack_id === undefined || grant.pack_id === pack_id) &&
    (grant.expires_at === undefined || Date.parse(grant.expires_at) > now.getTime())
  );
}

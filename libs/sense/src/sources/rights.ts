import { allows, type Caller } from '@hcp/core';
import type { SenseSource } from '@hcp/database';
import { refuse, type SenseRefusal } from '../refusal.js';

type Scope = Pick<SenseSource, 'pack_id' | 'project_id'>;

/** `sense.enable` for the pack, and where it is for one project, in that project (SPEC N1). */
export function mayEnable(caller: Caller, { pack_id, project_id }: Scope, now: Date): boolean {
  const { packs, project_id: only } = caller.session;
  if (packs !== null && !packs.includes(pack_id)) return false;
  if (only !== null && only !== project_id) return false;
  return allows(caller.authority, { capability: 'sense.enable', pack_id, project_id: project_id ?? undefined }, now);
}

/** SPEC A8: what runs by itself from now on is turned on by a person, or by a service that was granted it. */
export function enableProblem(caller: Caller, scope: Scope, now: Date): SenseRefusal | null {
  if (caller.is_agent || caller.principal.kind === 'agent') {
    return refuse('human_only', 'agents do not turn sources on or off; ask a person');
  }
  return mayEnable(caller, scope, now)
    ? null
    : refuse('missing_capability', `denied: missing sense.enable for ${scope.pack_id}`);
}

import { allows, covers, type Authority, type Caller, type Capability, type Grant } from '@hcp/core';
import { refuse, type Refusal } from '../outcome.js';

/** A grant, as stored: null where it is not narrowed. */
export interface Scope {
  readonly project_id?: string | null | undefined;
}

/** Whether every layer gives the capability somewhere: enough for the door, never for the act itself. */
export function holdsAnywhere(authority: Pick<Authority, 'layers'>, capability: Capability, now: Date): boolean {
  const in_force = (grant: Grant): boolean =>
    grant.expires_at === undefined || Date.parse(grant.expires_at) > now.getTime();
  return (
    authority.layers.length > 0 &&
    authority.layers.every((layer) => layer.some((grant) => grant.capability === capability && in_force(grant)))
  );
}

/** Whether the caller holds the capability in this scope; no project means the whole tenant. */
export function may(caller: Caller, capability: Capability, scope: Scope = {}): boolean {
  return allows(caller.authority, { capability, project_id: scope.project_id ?? undefined }, new Date());
}

/**
 * Who changes rights (SPEC A8, G1): a human, and not by an agent's hand, who holds the capability in this scope.
 * @returns the refusal, or null
 */
export function refuseUnless(caller: Caller, capability: Capability, scope: Scope = {}): Refusal | null {
  return humanOnly(caller) ?? (may(caller, capability, scope) ? null : missing(capability));
}

export function humanOnly(caller: Caller): Refusal | null {
  return caller.is_agent || caller.principal.kind !== 'human'
    ? refuse('human_only', 'only a person may do this, whatever was granted')
    : null;
}

export const missing = (capability: Capability): Refusal =>
  refuse('missing_capability', `denied: missing ${capability}`);

/** Nobody gives what they do not hold, in any layer of what narrows them (SPEC G5). */
export function refuseWider(caller: Caller, grants: readonly Grant[], path: string): Refusal | null {
  const now = new Date();
  const index = grants.findIndex((grant) => !covers(caller.authority, grant, now));
  const grant = grants[index];
  if (!grant) return null;
  return refuse('missing_capability', `denied: nobody gives more than they hold (${grant.capability})`, {
    path: path.replace('*', String(index)),
  });
}

/** A person in the platform tenant who holds `platform.manage` there. */
export function operatorOnly(caller: Caller): Refusal | null {
  return refuseUnless(caller, 'platform.manage') ?? (caller.platform ? null : missing('platform.manage'));
}

import { allows, type Caller } from '@hcp/core';
import type { Binding } from '@hcp/database';
import { refuse, type BindingRefusal } from './refusal.js';

/** Where a binding belongs: to a person or (null) to everyone in the project or (null) the tenant. */
export type Scope = Pick<Binding, 'pack_id' | 'principal_id' | 'project_id'>;

/** SPEC A8: agents never touch bindings, whatever was granted; a service may where it was. */
export function noAgents(caller: Caller): BindingRefusal | null {
  const agent = caller.is_agent || caller.principal.kind === 'agent';
  return agent ? refuse('human_only', 'agents do not manage bindings; ask a person') : null;
}

/** `pack.connect` for what is one's own, and nobody else's; `binding.manage` for what is shared (SPEC B1). */
export function manageProblem(caller: Caller, scope: Scope, now: Date): BindingRefusal | null {
  const { pack_id, principal_id, project_id } = scope;
  const capability = principal_id === null ? 'binding.manage' : 'pack.connect';
  const need = { capability, pack_id, project_id: project_id ?? undefined } as const;
  const mine = principal_id === null || principal_id === caller.principal.id;
  if (mine && inSession(caller, scope) && allows(caller.authority, need, now)) return null;
  return refuse('missing_capability', `denied: missing ${capability} for ${pack_id}`);
}

/** One's own, within what the session reaches, and the shared ones that one manages. */
export function sees(caller: Caller, scope: Scope, now: Date): boolean {
  if (scope.principal_id !== null) return scope.principal_id === caller.principal.id && inSession(caller, scope);
  return manageProblem(caller, scope, now) === null;
}

function inSession({ session }: Caller, { pack_id, project_id }: Scope): boolean {
  return (
    (session.packs === null || session.packs.includes(pack_id)) &&
    (session.project_id === null || session.project_id === project_id)
  );
}

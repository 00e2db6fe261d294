import { allows, parseMatch, type Caller } from '@hcp/core';
import { refuse, type AccessRefusal } from './refusal.js';

export interface Scope {
  readonly project_id?: string | null | undefined;
  readonly pack_id?: string | null | undefined;
}

/**
 * Who changes access (SPEC A8): a person, at the other end of an interactive session. Neither agents nor services,
 * whatever they were granted, nor an API key, which works where nobody looks.
 */
export function personOnly(caller: Caller): AccessRefusal | null {
  const { principal, session, is_agent } = caller;
  if (is_agent || principal.kind !== 'human') {
    return refuse('human_only', 'only a person may do this, whatever was granted');
  }
  if (session.interactive && session.api_key_id === null) return null;
  return refuse('human_only', 'only a person who signed in may do this, not an API key');
}

/** Whether the caller manages access here; no project means the whole tenant, no pack every pack. */
export function manages(caller: Caller, { project_id, pack_id }: Scope, now: Date): boolean {
  const only = caller.session.project_id;
  if (only !== null && project_id !== only) return false;
  const need = {
    capability: 'access.manage',
    project_id: project_id ?? undefined,
    pack_id: pack_id ?? undefined,
  } as const;
  return allows(caller.authority, need, now);
}

export function manageProblem(caller: Caller, scope: Scope, now: Date): AccessRefusal | null {
  const refusal = personOnly(caller);
  if (refusal) return refusal;
  return manages(caller, scope, now) ? null : refuse('missing_capability', 'denied: missing access.manage');
}

/** The pack that a rule's match is about; null for all. */
export function packOfMatch(match: string): string | null {
  const parsed = parseMatch(match);
  return parsed === null || parsed.kind === 'all' ? null : parsed.pack_id;
}

/** A session narrowed to some packs learns nothing about others. */
export function reachesMatch({ session }: Caller, match: string): boolean {
  const pack_id = packOfMatch(match);
  return session.packs === null || pack_id === null || session.packs.includes(pack_id);
}

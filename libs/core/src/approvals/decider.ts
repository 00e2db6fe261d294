import { allows } from '../authz/allows.js';
import type { Caller } from '../principal/principal.js';

/** What of a request decides who may answer it. */
export interface AskedCall {
  readonly pack_id: string;
  readonly verb_key: string;
  /** Of a composite: every command that it runs. */
  readonly steps: readonly { readonly pack_id: string; readonly verb_key: string }[];
  readonly project_id: string | null;
  readonly requester_id: string;
  /** The people that the requester acted for when it asked, and acts for now. */
  readonly acts_for: readonly string[];
  readonly second_person: boolean;
}

export interface DeciderRefusal {
  readonly code: 'human_only' | 'missing_capability' | 'forbidden';
  readonly detail: string;
}

/** A person at the other end of an interactive session: no agent, no service, no API key (SPEC A8, V4). */
export function deciderProblem(caller: Pick<Caller, 'principal' | 'session' | 'is_agent'>): DeciderRefusal | null {
  const { principal, session, is_agent } = caller;
  if (is_agent || principal.kind !== 'human') {
    return { code: 'human_only', detail: 'only a person may decide, whatever was granted' };
  }
  if (session.interactive && session.api_key_id === null) return null;
  return { code: 'human_only', detail: 'only a person who signed in may decide, not an API key' };
}

export function holdsDecide(caller: Pick<Caller, 'authority' | 'session'>, asked: AskedCall, now: Date): boolean {
  const only = caller.session.project_id;
  if (only !== null && only !== asked.project_id) return false;
  const { project_id, steps } = asked;
  return [asked, ...steps].every(({ pack_id, verb_key }) =>
    allows(caller.authority, { capability: 'approval.decide', pack_id, verb_key, project_id }, now),
  );
}

/** Whether this caller may say yes to this request; who it is comes from the token alone (SPEC V4). */
export function approveProblem(caller: Caller, asked: AskedCall, now: Date): DeciderRefusal | null {
  const refusal = rejectProblem(caller, asked, now);
  if (refusal !== null || !asked.second_person) return refusal;
  const { id } = caller.principal;
  if (asked.requester_id !== id && !asked.acts_for.includes(id)) return null;
  return { code: 'forbidden', detail: 'a second person has to approve what you or your agent asked for' };
}

/** Saying no takes the same right, and no second person: it only ever narrows. */
export function rejectProblem(caller: Caller, asked: AskedCall, now: Date): DeciderRefusal | null {
  const person = deciderProblem(caller);
  if (person !== null) return person;
  return holdsDecide(caller, asked, now)
    ? null
    : { code: 'missing_capability', detail: 'denied: missing approval.decide' };
}

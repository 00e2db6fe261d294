/** Why a use case refuses; the API has one status for each. */
export type SenseRefusalCode = 'human_only' | 'missing_capability' | 'not_found' | 'conflict';

export interface SenseRefusal {
  readonly ok: false;
  readonly code: SenseRefusalCode;
  /** For people; never holds a value. */
  readonly detail: string;
}

export type Answer<T> = { readonly ok: true; readonly value: T } | SenseRefusal;

export const done = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });

export const refuse = (code: SenseRefusalCode, detail: string): SenseRefusal => ({ ok: false, code, detail });

/** Another tenant's or not there at all: one and the same answer. */
export const unknownThing = (): SenseRefusal => refuse('not_found', 'no such thing, or not yours to see');

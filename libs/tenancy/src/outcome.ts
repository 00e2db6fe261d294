/** Why a use case refuses; the API maps each to a status (SPEC E7, I1). */
export type RefusalCode =
  | 'invalid_credentials'
  | 'unauthenticated'
  | 'tenant_required'
  | 'forbidden'
  | 'missing_capability'
  | 'human_only'
  | 'not_found'
  | 'conflict'
  | 'unavailable'
  | 'invalid_request';

export interface Refusal {
  readonly ok: false;
  readonly code: RefusalCode;
  /** For people; never holds a value that was sent. */
  readonly detail: string;
  /** The field at fault, as a JSON pointer. */
  readonly path?: string;
  /** With `tenant_required`: where the person belongs. */
  readonly tenants?: readonly { readonly id: string; readonly name: string }[];
}

/** What a use case answers: expected refusals are values, only the unexpected is thrown. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | Refusal;

export const done = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });

export const refuse = (code: RefusalCode, detail: string, extras: Pick<Refusal, 'path' | 'tenants'> = {}): Refusal => ({
  ok: false,
  code,
  detail,
  ...extras,
});

/** What is another tenant's, another person's or not there at all: one and the same answer. */
export const unknownThing = (): Refusal => refuse('not_found', 'no such thing, or not yours to see');

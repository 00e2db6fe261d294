import type { FieldError } from '@hcp/contracts';

/** Why a use case refuses; the API has one status for each. */
export type AccessRefusalCode =
  'human_only' | 'missing_capability' | 'forbidden' | 'not_found' | 'conflict' | 'invalid_request';

export interface AccessRefusal {
  readonly ok: false;
  readonly code: AccessRefusalCode;
  /** For people; never holds a value. */
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

export type Answer<T> = { readonly ok: true; readonly value: T } | AccessRefusal;

export const done = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });

export const refuse = (code: AccessRefusalCode, detail: string, errors?: readonly FieldError[]): AccessRefusal => ({
  ok: false,
  code,
  detail,
  ...(errors && { errors }),
});

/** Fields of the request are wrong; nothing was saved. */
export const wrongFields = (errors: readonly FieldError[]): AccessRefusal =>
  refuse('invalid_request', 'the request is not valid', errors);

export const wrongField = (path: string, message: string): AccessRefusal => wrongFields([{ path, message }]);

/** Another tenant's, another person's, or not there at all: one and the same answer. */
export const unknownThing = (): AccessRefusal => refuse('not_found', 'no such thing, or not yours to see');

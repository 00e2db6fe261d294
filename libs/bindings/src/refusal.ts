import type { FieldError } from '@hcp/contracts';

/** Why a use case refuses; the API has one status for each. */
export type BindingRefusalCode =
  'human_only' | 'missing_capability' | 'forbidden' | 'not_found' | 'conflict' | 'invalid_request';

export interface BindingRefusal {
  readonly ok: false;
  readonly code: BindingRefusalCode;
  /** For people; never holds a value. */
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

export type Answer<T> = { readonly ok: true; readonly value: T } | BindingRefusal;

export const done = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });

export const refuse = (code: BindingRefusalCode, detail: string, errors?: readonly FieldError[]): BindingRefusal => ({
  ok: false,
  code,
  detail,
  ...(errors && { errors }),
});

/** One field of the request is wrong. */
export const wrongField = (path: string, message: string): BindingRefusal =>
  refuse('invalid_request', `${path.slice(1)}: ${message}`, [{ path, message }]);

/** Another tenant's, another person's, or not there at all: one and the same answer. */
export const unknownThing = (): BindingRefusal => refuse('not_found', 'no such thing, or not yours to see');

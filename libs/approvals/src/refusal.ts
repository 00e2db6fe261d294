import type { FieldError } from '@hcp/contracts';

/** Why a use case refuses; the API has one status for each. */
export type ApprovalRefusalCode =
  'human_only' | 'missing_capability' | 'forbidden' | 'not_found' | 'conflict' | 'invalid_request';

export interface ApprovalRefusal {
  readonly ok: false;
  readonly code: ApprovalRefusalCode;
  /** For people; never holds a value. */
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

export type Answer<T> = { readonly ok: true; readonly value: T } | ApprovalRefusal;

export const done = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });

export const refuse = (code: ApprovalRefusalCode, detail: string): ApprovalRefusal => ({ ok: false, code, detail });

export const wrongField = (path: string, message: string): ApprovalRefusal => ({
  ok: false,
  code: 'invalid_request',
  detail: 'the request is not valid',
  errors: [{ path, message }],
});

/** Another tenant's, another person's, or not there at all: one and the same answer. */
export const unknownThing = (): ApprovalRefusal => refuse('not_found', 'no such thing, or not yours to see');

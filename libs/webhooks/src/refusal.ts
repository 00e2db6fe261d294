import type { FieldError } from '@hcp/contracts';

/** Why a use case refuses; the API has one status for each. */
export type WebhookRefusalCode = 'human_only' | 'missing_capability' | 'not_found' | 'conflict' | 'invalid_request';

export interface WebhookRefusal {
  readonly ok: false;
  readonly code: WebhookRefusalCode;
  /** For people; never holds a value. */
  readonly detail: string;
  readonly errors?: readonly FieldError[];
}

export type Answer<T> = { readonly ok: true; readonly value: T } | WebhookRefusal;

export const done = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });

export const refuse = (code: WebhookRefusalCode, detail: string): WebhookRefusal => ({ ok: false, code, detail });

export const wrongField = (path: string, message: string): WebhookRefusal => ({
  ok: false,
  code: 'invalid_request',
  detail: `${path.slice(1)}: ${message}`,
  errors: [{ path, message }],
});

/** Another tenant's or not there at all: one and the same answer. */
export const unknownThing = (): WebhookRefusal => refuse('not_found', 'no such thing, or not yours to see');

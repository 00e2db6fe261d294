import type { Denial } from '@hcp/core';

export const IDEMPOTENCY_HEADER = 'idempotency-key';

/**
 * The body with the key of the header `Idempotency-Key`, which is where other APIs look for it: a key that was sent and
 * counted for nothing would let a call run twice (SPEC E7). A body that is no envelope is told so by whoever reads it.
 */
export function withKey(
  body: unknown,
  header: string | string[] | undefined,
): { readonly ok: true; readonly body: unknown } | { readonly ok: false; readonly denial: Denial } {
  if (header === undefined) return { ok: true, body };
  if (typeof header !== 'string') return refuse('Idempotency-Key is there more than once');
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { ok: true, body };
  const own = 'idempotency_key' in body ? body.idempotency_key : undefined;
  if (own !== undefined && own !== header) return refuse('idempotency_key and the header Idempotency-Key differ');
  return { ok: true, body: { ...body, idempotency_key: header } };
}

const refuse = (error: string) =>
  ({ ok: false, denial: { code: 'invalid_envelope', error, hint: 'Send one key, in one place.' } }) as const;

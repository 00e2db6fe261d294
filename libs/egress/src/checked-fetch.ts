import type { EgressCode } from './resolve.js';
import { safeFetch, type SafeFetchOptions } from './safe-fetch.js';

/** Thrown by a checked fetch, as `fetch` throws where there is no answer. */
export class EgressError extends Error {
  override readonly name = 'EgressError';

  constructor(
    readonly code: EgressCode,
    message: string,
  ) {
    super(message);
  }
}

export interface CheckedFetchInit {
  method?: string;
  headers?: HeadersInit;
  body?: unknown;
  signal?: AbortSignal | null;
}

type HeadersInit = ConstructorParameters<typeof Headers>[0];

const NO_BODY = new Set([101, 204, 205, 304]);

/**
 * `safeFetch` in the shape of `fetch`, for libraries that take one (openid-client's `customFetch`, jose's). Bodies are text,
 * bytes or URLSearchParams; redirects are not followed unless `max_redirects` says so.
 */
export function checkedFetch(
  options: Omit<SafeFetchOptions, 'method' | 'headers' | 'body' | 'signal'>,
): (url: string | URL, init?: CheckedFetchInit) => Promise<Response> {
  return async (url, init = {}) => {
    const headers = new Headers(init.headers);
    const answer = await safeFetch(String(url), {
      ...options,
      method: init.method ?? 'GET',
      headers,
      body: bodyOf(init.body, headers),
      ...(init.signal && { signal: init.signal }),
    });
    if (!answer.ok) throw new EgressError(answer.code, answer.error);
    const { status } = answer;
    if (status < 200 || status > 599) throw new EgressError('bad_response', 'egress: the answer has an odd status');
    const body = NO_BODY.has(status) ? null : new Uint8Array(answer.body);
    return new Response(body, { status, headers: answer.headers });
  };
}

function bodyOf(body: unknown, headers: Headers): string | Uint8Array | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (!(body instanceof URLSearchParams)) throw new EgressError('bad_request', 'egress: this kind of body is not sent');
  if (!headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
  return body.toString();
}

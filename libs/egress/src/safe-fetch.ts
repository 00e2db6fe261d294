import type { EgressPolicy } from './policy.js';
import { type Answered, requestOnce } from './request-once.js';
import { type EgressRefusal, refusal, resolveChecked } from './resolve.js';
import { parseTarget, type Target } from './target.js';

export interface SafeFetchOptions extends EgressPolicy {
  method?: string;
  headers?: Headers | Record<string, string>;
  body?: string | Uint8Array | null;
  /** For everything, redirects included, in milliseconds. Default 10 000. */
  timeout_ms?: number;
  /** Of the answer's body. Default 1 MiB. */
  max_bytes?: number;
  /** Default 0: a redirect is an answer like any other. Requests that carry a secret in their body should leave it so. */
  max_redirects?: number;
  /** Also http. Default false. */
  allow_http?: boolean;
  /** Certificates to trust instead of the system's, as PEM. */
  ca?: string;
  signal?: AbortSignal;
}

export interface SafeAnswer extends Answered {
  /** Where the answer came from. */
  url: string;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Set by us, from the URL and the body. */
const OURS = ['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'expect', 'te', 'trailer'];
const SECRET = ['authorization', 'cookie', 'proxy-authorization'];

/**
 * A request to a URL that a tenant gave (SPEC S4): the host is checked, the connection goes to the checked address, TLS
 * verifies the name, each redirect is checked anew. Any status is an answer. Never throws.
 */
export async function safeFetch(url: string, options: SafeFetchOptions = {}): Promise<SafeAnswer | EgressRefusal> {
  const allow_http = options.allow_http ?? false;
  const signal = AbortSignal.any([
    AbortSignal.timeout(options.timeout_ms ?? 10_000),
    ...(options.signal ? [options.signal] : []),
  ]);
  const headers = headersOf(options.headers);
  if (headers === null) return refusal('bad_request', 'the request has a header that cannot be sent');
  for (const name of OURS) headers.delete(name);
  const body = typeof options.body === 'string' ? Buffer.from(options.body) : (options.body ?? null);
  const once = { max_bytes: options.max_bytes ?? 1024 * 1024, ca: options.ca, signal };
  let request = { method: (options.method ?? 'GET').toUpperCase(), headers, body };
  let target = parseTarget(url, { allow_http });
  for (let left = options.max_redirects ?? 0; ; left -= 1) {
    if (!target.ok) return target;
    const checked = await resolveChecked(target.host, { ...options, port: target.port, signal });
    if (!checked.ok) return checked;
    const answer = await requestOnce(target, checked, { ...once, ...request });
    const location = answer.ok && REDIRECTS.has(answer.status) ? answer.headers.get('location') : null;
    if (!answer.ok) return answer;
    if (location === null || options.max_redirects === undefined || options.max_redirects === 0) {
      return { ...answer, url: target.url.href };
    }
    if (left <= 0) return refusal('too_many_redirects', `${target.host} redirects too often`);
    const next = parseTarget(location, { allow_http: allow_http && target.url.protocol === 'http:', base: target.url });
    if (next.ok) request = redirected(request, answer.status, target, next);
    target = next;
  }
}

/** Null for what cannot be a header; why is not said, because that would repeat a value that may be a secret. */
function headersOf(given: SafeFetchOptions['headers']): Headers | null {
  try {
    return new Headers(given);
  } catch {
    return null;
  }
}

function redirected(
  request: { method: string; headers: Headers; body: Uint8Array | null },
  status: number,
  from: Target,
  to: Target,
): typeof request {
  const headers = new Headers(request.headers);
  if (from.url.origin !== to.url.origin) for (const name of SECRET) headers.delete(name);
  const keeps = status === 307 || status === 308 || request.method === 'GET' || request.method === 'HEAD';
  if (keeps) return { ...request, headers };
  headers.delete('content-type');
  return { method: 'GET', headers, body: null };
}

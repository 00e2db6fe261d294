import { allowsPrivate, checkedFetch, type EgressPolicy } from '@hcp/egress';
import type { CustomFetch } from 'openid-client';

const MAX_BYTES = 256 * 1024;

/**
 * The only way to a provider (SPEC S4): each request's host is checked, no redirect is followed (bodies carry secrets), and
 * plain http is for hosts that the operator lists alone.
 */
export function providerFetch(policy: EgressPolicy, timeout_ms: number): CustomFetch {
  return (url, { method, headers, body, signal }) =>
    checkedFetch({ ...policy, allow_http: plainAllowed(policy, url), max_bytes: MAX_BYTES, timeout_ms })(url, {
      method,
      headers,
      body,
      ...(signal && { signal }),
    });
}

/** Whether the operator lists this address, so that it may be private and spoken to without TLS. */
export function plainAllowed(policy: EgressPolicy, address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { hostname, port, protocol } = new URL(address);
  return allowsPrivate(policy.allow_private, {
    text: hostname,
    port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
  });
}

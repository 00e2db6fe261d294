import { allowsPrivate, safeFetch, type EgressPolicy } from '@hcp/egress';

/** Reads a JSON document from a host that a tenant named; null when it cannot be had, for whatever reason. */
export type GetJson = (url: string) => Promise<unknown>;

const MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 5_000;

/** Over https, through the egress check (SPEC S4). Plain http only where the operator lists the host as private. */
export function checkedGetJson(policy: EgressPolicy): GetJson {
  return async (url) => {
    if (!URL.canParse(url)) return null;
    const { hostname, port, protocol } = new URL(url);
    const target = { text: hostname, port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port) };
    const answer = await safeFetch(url, {
      ...policy,
      headers: { accept: 'application/json' },
      allow_http: allowsPrivate(policy.allow_private, target),
      max_bytes: MAX_BYTES,
      timeout_ms: TIMEOUT_MS,
    });
    if (!answer.ok || answer.status !== 200) return null;
    try {
      return JSON.parse(answer.body.toString('utf8')) as unknown;
    } catch {
      return null;
    }
  };
}

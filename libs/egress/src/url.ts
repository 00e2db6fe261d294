import { allowsPrivate, type EgressPolicy } from './policy.js';
import { type EgressRefusal, resolveChecked } from './resolve.js';
import { parseTarget } from './target.js';

/** Whether the operator lets this URL be plain http: only where its host is one of the private ones that are allowed. */
export function mayBePlain(url: string, { allow_private }: EgressPolicy): boolean {
  const target = parseTarget(url, { allow_http: true });
  return target.ok && allowsPrivate(allow_private, { text: target.host, port: target.port });
}

/**
 * Why a URL that a tenant wants to keep would not be asked, or null: not https, credentials in it, no public address
 * (SPEC S4). What it resolves to is checked anew with each request.
 */
export async function urlProblem(url: string, policy: EgressPolicy): Promise<EgressRefusal | null> {
  const target = parseTarget(url, { allow_http: mayBePlain(url, policy) });
  if (!target.ok) return target;
  const checked = await resolveChecked(target.host, { ...policy, port: target.port });
  return checked.ok ? null : checked;
}

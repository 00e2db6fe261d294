import { addressKind, canonicalAddress } from './address.js';
import { isLocalName, parseHost } from './host.js';
import { allowsPrivate, type EgressPolicy, type Resolve } from './policy.js';
import { systemResolve } from './system-resolve.js';

export type EgressCode =
  | 'bad_host'
  | 'bad_request'
  | 'private_address'
  | 'unresolvable'
  | 'connect_failed'
  | 'tls_failed'
  | 'timeout'
  | 'cancelled'
  | 'too_large'
  | 'bad_response'
  | 'too_many_redirects';

/** A connection that is not made or did not work out. `error` names the host and neither its addresses nor a value. */
export interface EgressRefusal {
  ok: false;
  code: EgressCode;
  error: string;
}

/** The addresses that were checked; a connection goes to one of these and never resolves again. */
export interface CheckedHost {
  ok: true;
  host: string;
  addresses: readonly [string, ...string[]];
}

export interface ResolveOptions extends EgressPolicy {
  /** The port to be used; an operator's entry with a port admits only that one. */
  port?: number;
  signal?: AbortSignal;
}

const DEADLINE_MS = 10_000;
const MOST_ADDRESSES = 16;

export function refusal(code: EgressCode, error: string): EgressRefusal {
  return { ok: false, code, error: `egress: ${error}` };
}

/**
 * The one check of a host that a tenant names (SPEC S4). Resolves once; one address that is not public refuses the host,
 * because an honest name has none. Never throws.
 */
export async function resolveChecked(host: string, options: ResolveOptions = {}): Promise<CheckedHost | EgressRefusal> {
  const parsed = parseHost(host);
  if (parsed === null) return refusal('bad_host', `${quoted(host)} is not a host name or a plain address`);
  const { text } = parsed;
  const { allow_private, port } = options;
  const trusted = allowsPrivate(allow_private, { text, port });
  let answers: readonly string[];
  if (parsed.kind === 'address') answers = [text];
  else if (!trusted && isLocalName(text)) return refusal('private_address', `${text} is a local name`);
  else answers = await ask(options.resolve ?? systemResolve, text, trusted, options.signal);
  const addresses: string[] = [];
  for (const answer of answers.slice(0, MOST_ADDRESSES)) {
    const address = canonicalAddress(answer);
    const kind = address === null ? 'never' : addressKind(address);
    const lifted = kind === 'private' && (trusted || allowsPrivate(allow_private, { text: address ?? '', port }));
    if (address === null || (kind !== 'public' && !lifted)) {
      return refusal('private_address', `${text} is not a public address`);
    }
    addresses.push(address);
  }
  const [first, ...rest] = addresses;
  if (first === undefined) return refusal('unresolvable', `${text} has no address`);
  return { ok: true, host: text, addresses: [first, ...rest] };
}

async function ask(
  resolve: Resolve,
  name: string,
  trusted: boolean,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const limit = AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), ...(signal ? [signal] : [])]);
  let late: () => void = () => undefined;
  const over = new Promise<readonly string[]>((done) => (late = () => done([])));
  limit.addEventListener('abort', late, { once: true });
  try {
    if (limit.aborted) return [];
    return await Promise.race([resolve(name, { trusted, signal: limit }).catch(() => []), over]);
  } finally {
    limit.removeEventListener('abort', late);
  }
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 253));
}

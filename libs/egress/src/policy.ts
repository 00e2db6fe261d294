import { type Host, parseHostPort } from './host.js';

/**
 * Asks for the addresses of a name, all of them, as canonical text. Rejects when there are none.
 * `trusted` names are the operator's own: the machine's hosts file and search list may answer for them.
 */
export type Resolve = (name: string, ask: { trusted: boolean; signal: AbortSignal }) => Promise<readonly string[]>;

/** What an operator decides about connections to hosts that tenants name (SPEC S4). */
export interface EgressPolicy {
  /**
   * Hosts that may be private: `name`, `address` or either with `:port`. A name admits whatever it resolves to, an
   * address admits every name that resolves to it. Metadata services, multicast and the like stay refused. Default none.
   */
  allow_private?: readonly string[];
  /** Default `systemResolve`. */
  resolve?: Resolve;
}

/** The first entry of an allow list that cannot be read, or null. Such an entry admits nothing. */
export function badAllowance(entries: readonly string[]): string | null {
  return entries.find((entry) => parseHostPort(entry) === null) ?? null;
}

/** Whether the operator's list names this host or address (for this port). */
export function allowsPrivate(
  entries: readonly string[] | undefined,
  target: { text: string; port: number | undefined },
): boolean {
  return (entries ?? []).some((entry) => {
    const allowed = parseHostPort(entry);
    return (
      allowed !== null && sameHost(allowed.host, target.text) && (allowed.port === null || allowed.port === target.port)
    );
  });
}

const sameHost = (host: Host, text: string): boolean => host.text === text;

import { APPROVALS, MODES, type Caller } from '@hcp/core';

/** What a run or a request remembers of its caller beside principal and session. */
export interface StoredAuthority {
  readonly is_agent: boolean;
  readonly process_mode: string | null;
  readonly process_approvals: string | null;
}

// A type of its own: an interface does not fit the column's index type.
export const authorityOf = (caller: Caller): Pick<StoredAuthority, keyof StoredAuthority> => ({
  is_agent: caller.is_agent,
  process_mode: caller.process_mode ?? null,
  process_approvals: caller.process_approvals ?? null,
});

/** What does not say plainly that it is no agent's counts as one's: that only ever narrows. */
export function storedAgent(authority: unknown): boolean {
  const { is_agent } = (authority ?? {}) as { is_agent?: unknown };
  return is_agent !== false;
}

/** What the process asked for, its mode and whose yes counts; what cannot be read counts as the strictest. */
export function storedProcess(authority: unknown): Pick<Caller, 'process_mode' | 'process_approvals'> {
  const stored = (authority ?? {}) as { process_mode?: unknown; process_approvals?: unknown };
  const { process_mode: mode = null, process_approvals: approvals = null } = stored;
  return {
    process_mode: mode === null ? null : (MODES.find((each) => each === mode) ?? 'manual'),
    process_approvals: approvals === null ? null : (APPROVALS.find((each) => each === approvals) ?? 'human'),
  };
}

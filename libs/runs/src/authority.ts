import { MODES, type Caller } from '@hcp/core';

/** What a run or a request remembers of its caller beside principal and session. */
export interface StoredAuthority {
  readonly is_agent: boolean;
  readonly process_mode: string | null;
}

export const authorityOf = (caller: Caller): { is_agent: boolean; process_mode: string | null } => ({
  is_agent: caller.is_agent,
  process_mode: caller.process_mode ?? null,
});

/** What does not say plainly that it is no agent's counts as one's: that only ever narrows. */
export function storedAgent(authority: unknown): boolean {
  const { is_agent } = (authority ?? {}) as { is_agent?: unknown };
  return is_agent !== false;
}

/** The mode that the process asked for; what cannot be read counts as the strictest. */
export function storedMode(authority: unknown): Caller['process_mode'] {
  const { process_mode = null } = (authority ?? {}) as { process_mode?: unknown };
  return process_mode === null ? null : (MODES.find((mode) => mode === process_mode) ?? 'manual');
}

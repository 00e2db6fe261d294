import type { ExecCode, RunStatus, SourceEvent } from '@hcp/core';
import type { EgressFacts } from '@hcp/sandbox';

/** How a run ended, as an adapter or the worker says it. */
export interface Outcome {
  readonly status: Extract<RunStatus, 'succeeded' | 'failed' | 'timed_out' | 'cancelled' | 'unknown'>;
  readonly code?: ExecCode;
  readonly error?: string;
  readonly hint?: string;
  /** For adapters without streams; a wrap's result is its standard output. */
  readonly result?: unknown;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exit_code?: number;
  readonly truncated?: boolean;
  /** Of a command that may reach hosts: which it reached and was refused, secrets hidden. */
  readonly egress?: EgressFacts;
  /** Of those it reached, what the pack calls them. */
  readonly hosts?: readonly string[];
  /** Of a source: what it saw, secrets hidden (SPEC W8). */
  readonly events?: readonly SourceEvent[];
  /** Whether the command itself was started; null where nobody knows. */
  readonly ran: boolean | null;
}

/** The part of an outcome that may hold a tenant's data: stored encrypted. */
export type SealedOutcome = Pick<Outcome, 'error' | 'hint' | 'result' | 'stdout' | 'stderr' | 'egress'>;

export function refused(code: ExecCode, error: string, hint: string): Outcome {
  return { status: 'failed', code, error, hint, ran: false };
}

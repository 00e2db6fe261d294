import type { ExecCode } from '@hcp/core';
import type { SandboxOutcome } from './port.js';

/** How a command ended, in the words of a result envelope (SPEC E3, E5). */
export interface RunResult {
  readonly status: 'succeeded' | 'failed' | 'timed_out' | 'cancelled' | 'unknown';
  readonly code?: ExecCode;
  readonly error?: string;
  readonly hint?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exit_code?: number;
  readonly truncated?: boolean;
  /** Whether the program was started. */
  readonly ran: boolean;
}

/** What an outcome means for whoever called; `timeout_ms` as the spec had it. */
export function runResult(outcome: SandboxOutcome, timeout_ms: number): RunResult {
  const { stdout, stderr, truncated } = outcome;
  const streams = { stdout, stderr, truncated, ...(outcome.exit_code !== null && { exit_code: outcome.exit_code }) };
  switch (outcome.kind) {
    case 'exited': {
      if (outcome.exit_code === 0 && !outcome.oom) return { status: 'succeeded', ...streams, ran: true };
      const error = stderr.trim() || (outcome.oom ? 'out of memory' : `exit ${outcome.exit_code ?? 'by signal'}`);
      const hint = outcome.oom
        ? 'the command ran out of memory; ask for less at once'
        : outcome.egress?.refused.length
          ? 'the command asked for hosts that it may not or cannot reach; see the hosts that its pack declares'
          : 'the command itself failed; its standard error says why';
      return { status: 'failed', code: 'exit_nonzero', error, hint, ...streams, ran: true };
    }
    case 'timeout':
      return {
        status: 'timed_out',
        code: 'timeout',
        error: `timed out after ${timeout_ms} ms`,
        hint: 'the command was stopped; ask for less at once, or raise timeout_ms in the pack',
        ...streams,
        ran: true,
      };
    case 'output_limit':
      return {
        status: 'failed',
        code: 'output_limit',
        error: 'output limit exceeded: the command was stopped',
        hint: 'ask for less output',
        ...streams,
        ran: true,
      };
    case 'cancelled':
      return {
        status: 'cancelled',
        code: 'cancelled',
        error: 'cancelled',
        hint: CANCELLED_HINT,
        ...streams,
        ran: true,
      };
    case 'bin_not_allowlisted':
      return {
        status: 'failed',
        code: 'bin_not_allowlisted',
        error: outcome.error ?? 'sandbox: bin not allowlisted',
        hint: 'put the program into the pack, or ask an operator to allow it by name',
        exit_code: 127,
        ran: false,
      };
    case 'lost':
      return {
        status: 'unknown',
        code: 'outcome_unknown',
        error: outcome.error ?? 'sandbox: the run was lost',
        hint: 'look at what the command changes before you send it again',
        ...streams,
        ran: true,
      };
    case 'failed_to_start':
      return refused('sandbox_unavailable', outcome.error ?? 'sandbox: the command could not be started', START_HINT);
    default:
      return refused('internal', 'sandbox: unknown outcome', START_HINT);
  }
}

const CANCELLED_HINT = 'someone cancelled the run; what it had done by then stays done';
const START_HINT = 'nothing was run; see hcp.doctor for the state of the sandbox';

function refused(code: ExecCode, error: string, hint: string): RunResult {
  return { status: 'failed', code, error, hint, ran: false };
}

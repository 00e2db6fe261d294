import { parseResult, type ResultEnvelope, type RunStatus } from '@hcp/core';
import type { Run } from '@hcp/database';
import type { SealedOutcome } from './outcome.js';
import { openOutcome, type Sealer } from './sealing.js';

const TERMINAL: ReadonlySet<string> = new Set(['succeeded', 'failed', 'timed_out', 'cancelled', 'unknown']);

export function isTerminal(status: string): boolean {
  return TERMINAL.has(status);
}

/** The result envelope of a run that ended (SPEC E5). */
export function resultEnvelope(sealer: Sealer, run: Run): ResultEnvelope {
  return envelopeWith(run, run.outcome_enc ? openOutcome(sealer, run.id, run.outcome_enc) : {});
}

/** The same, by what was sealed. */
export function envelopeWith(run: Run, outcome: SealedOutcome): ResultEnvelope {
  const { error, hint, stdout, stderr } = outcome;
  const result = outcome.result !== undefined ? outcome.result : stdout === undefined ? null : parseResult(stdout);
  return {
    ok: run.ok === true,
    pack_id: run.pack_id,
    verb_key: run.verb_key,
    result,
    ...(error !== undefined && { error }),
    ...(run.code !== null && { code: run.code as ResultEnvelope['code'] }),
    ...(run.output_erased_at ? erased(run, run.output_erased_at) : hint !== undefined && { hint }),
    ...(stdout !== undefined && { stdout }),
    ...(stderr !== undefined && { stderr }),
    ...(run.exit_code !== null && { exit_code: run.exit_code }),
    run_id: run.id,
    duration_ms: run.duration_ms ?? 0,
    ...(run.truncated && { truncated: true }),
    ...(run.approval_id !== null && { approval_id: run.approval_id }),
  };
}

/** What a replay is told of a run whose values are gone: that it ran, and that nothing ran now (SPEC E7, R5). */
const erased = (run: Run, at: Date): Pick<ResultEnvelope, 'error' | 'hint' | 'output_erased_at'> => ({
  ...(run.ok !== true && { error: 'failed earlier; what it said is no longer kept' }),
  hint: 'It ran before and did not run again; its result is no longer kept. Another idempotency_key runs it anew.',
  output_erased_at: at.toISOString(),
});

/** The answer while a run has not ended (SPEC E6). */
export function pendingEnvelope(
  run: Pick<Run, 'id' | 'pack_id' | 'verb_key' | 'status'> & Partial<Pick<Run, 'approval_id'>>,
  duration_ms: number,
  asked_to_wait: boolean,
): ResultEnvelope {
  return {
    ok: false,
    pack_id: run.pack_id,
    verb_key: run.verb_key,
    result: null,
    code: 'still_running',
    ...(asked_to_wait && { error: 'still running' }),
    hint: `GET /v1/runs/${run.id} tells how it goes`,
    status: run.status as RunStatus,
    run_id: run.id,
    duration_ms,
    ...(run.approval_id && { approval_id: run.approval_id }),
  };
}

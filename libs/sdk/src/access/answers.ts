import type { Denial, ExecEnvelope, ResultEnvelope } from '@hcp/core';

/** A refusal as the envelope that every call answers (SPEC E5). */
export function answer(
  { pack_id, verb_key }: Pick<ExecEnvelope, 'pack_id' | 'verb_key'>,
  started: number,
  denial: Denial,
  more: Partial<ResultEnvelope> = {},
): ResultEnvelope {
  return {
    ok: false,
    pack_id,
    verb_key,
    result: null,
    error: denial.error,
    code: denial.code,
    hint: denial.hint,
    ...more,
    run_id: null,
    duration_ms: Math.round(performance.now() - started),
  };
}

export const UNAUDITED: Denial = {
  code: 'audit_unavailable',
  error: 'audit unavailable: nothing was run',
  hint: 'The audit could not be written; see to it, then send the call again.',
};

export const NO_APPROVAL: Denial = {
  code: 'internal',
  error: 'the call could not be decided',
  hint: 'Nothing ran. Look at the runtime and its settings.',
};

export const SPENT: Denial = {
  code: 'confirm_required',
  error: 'confirm required',
  hint: 'This yes has been used: each covers one run. Ask a person again.',
};

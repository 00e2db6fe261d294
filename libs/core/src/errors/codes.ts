/** Every code a result envelope may carry (SPEC E3, E6, E7). */
export const EXEC_CODES = [
  'invalid_envelope',
  'unknown_pack',
  'pack_not_activated',
  'no_policy',
  'land_requires_project',
  'missing_capability',
  'invalid_args',
  'denied_by_rule',
  'confirm_required',
  'human_only',
  'mint_failed',
  'bin_not_allowlisted',
  'exit_nonzero',
  'timeout',
  'output_limit',
  'cancelled',
  'outcome_unknown',
  'audit_unavailable',
  'still_running',
  'idempotency_conflict',
  'rate_limited',
  'sandbox_unavailable',
  'internal',
] as const;

export type ExecCode = (typeof EXEC_CODES)[number];

/** A refusal as a value: nothing in the pipeline throws (SPEC E2). `error` never holds an argument's value. */
export interface Denial {
  readonly code: ExecCode;
  readonly error: string;
  /** What the caller can do next (SPEC E4). */
  readonly hint: string;
}

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
  'http_error',
  'invalid_events',
  'timeout',
  'output_limit',
  'cancelled',
  'outcome_unknown',
  'audit_unavailable',
  'still_running',
  'idempotency_conflict',
  'rate_limited',
  'sandbox_unavailable',
  'unauthenticated',
  'unreachable',
  'internal',
] as const;

export type ExecCode = (typeof EXEC_CODES)[number];

/** What each code says, for the reference. */
export const EXEC_CODE_MEANINGS: Readonly<Record<ExecCode, string>> = {
  invalid_envelope: 'the request is no exec envelope: unknown fields, duplicate keys, wrong types, too large',
  unknown_pack: 'no pack of this id is installed, or the caller may not know of it',
  pack_not_activated: 'the pack is installed and not active here',
  no_policy: 'the pack has no policy row for this command',
  land_requires_project: 'the command works in a project, and the call has none that the caller is a member of',
  missing_capability: 'the caller was not granted what the command needs',
  invalid_args: 'the arguments do not fit the command; the path is named, never the value',
  denied_by_rule: 'a rule of the tenant, the project or the platform denies this call',
  confirm_required: 'a person has to say yes first; nothing ran',
  human_only: 'people may do this, agents and services may not',
  mint_failed: 'the credential that the command runs with could not be had',
  bin_not_allowlisted: 'the program is neither in the pack nor allowed by the operator; exit code 127',
  exit_nonzero: 'the command ran and failed; its standard error says why',
  http_error: 'the API was asked and refused or failed; its answer is the result',
  invalid_events: 'the source ran and what it printed are no events; the place is named, and none was published',
  timeout: 'the command took longer than it may and was stopped',
  output_limit: 'the command wrote more than it may and was stopped',
  cancelled: 'someone cancelled the run, or the rights that it was asked with ended',
  outcome_unknown: 'the worker was lost while the command ran; it may have taken effect',
  audit_unavailable: 'the decision could not be written to the audit log, so nothing ran',
  still_running: 'the call stopped waiting; the run goes on under its run_id',
  idempotency_conflict: 'the idempotency key was used with another envelope',
  rate_limited: 'too many calls; try again after retry_after_ms',
  sandbox_unavailable: 'no worker can isolate this command; nothing ran',
  unauthenticated: 'the call had no credentials that are good; nothing ran',
  unreachable: 'the SDK could not connect to the API, so nothing was sent',
  internal: 'a defect of the product; the logs have the details',
};

/** A refusal as a value: nothing in the pipeline throws (SPEC E2). `error` never holds an argument's value. */
export interface Denial {
  readonly code: ExecCode;
  readonly error: string;
  /** What the caller can do next (SPEC E4). */
  readonly hint: string;
}

import type { Outcome, Refusal, RefusalCode } from '@hcp/tenancy';
import { sentence } from './field-words.js';
import { ProblemError } from './problem.js';

/** SPEC E7, I1: each refusal of a use case has one status. */
const STATUS: Readonly<Record<RefusalCode, number>> = {
  invalid_credentials: 401,
  unauthenticated: 401,
  tenant_required: 409,
  forbidden: 403,
  missing_capability: 403,
  human_only: 403,
  not_found: 404,
  conflict: 409,
  unavailable: 503,
  invalid_request: 400,
};

/** @throws ProblemError for a refusal */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw problemFor(outcome);
}

function problemFor({ code, detail, path, tenants }: Refusal): ProblemError {
  const errors = path === undefined ? undefined : [{ path, message: detail }];
  const said = errors?.[0] ? sentence(errors[0]) : detail;
  return new ProblemError(STATUS[code], code, said, errors, tenants ? { tenants: [...tenants] } : {});
}

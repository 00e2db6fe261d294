import type { Answer, BindingRefusalCode } from '@hcp/bindings';
import { notFound, ProblemError } from '../platform/problem.js';

const STATUS: Readonly<Record<BindingRefusalCode, number>> = {
  human_only: 403,
  missing_capability: 403,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  invalid_request: 400,
};

/** The value, or the problem that the use case's refusal is. */
export function valueOf<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value;
  if (answer.code === 'not_found') throw notFound();
  throw new ProblemError(STATUS[answer.code], answer.code, answer.detail, answer.errors);
}

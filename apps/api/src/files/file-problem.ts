import type { ProblemCode } from '@hcp/contracts';
import type { FileRefusal, FileRefusalCode } from '@hcp/workspaces';
import { notFound, ProblemError } from '../platform/problem.js';

/** How long a caller waits before it tries a busy workspace again. */
const RETRY_AFTER_MS = 1000;

const ANSWERS: Readonly<Record<Exclude<FileRefusalCode, 'not_found'>, readonly [status: number, code: ProblemCode]>> = {
  missing_capability: [403, 'missing_capability'],
  invalid_path: [400, 'invalid_request'],
  conflict: [409, 'conflict'],
  too_large: [413, 'payload_too_large'],
  quota_exceeded: [409, 'quota_exceeded'],
  workspace_busy: [409, 'workspace_busy'],
};

/** The use case's answer, or its refusal thrown as a problem. */
export function orFileProblem<T extends { readonly ok: true }>(answer: T | FileRefusal): T {
  if (answer.ok) return answer;
  const { code, detail } = answer;
  if (code === 'not_found') throw notFound();
  const [status, problem] = ANSWERS[code];
  const errors = code === 'invalid_path' ? [{ path: '/*', message: detail }] : undefined;
  const extras = code === 'workspace_busy' ? { retry_after_ms: RETRY_AFTER_MS } : {};
  throw new ProblemError(status, problem, code === 'invalid_path' ? `the path ${detail}` : detail, errors, extras);
}

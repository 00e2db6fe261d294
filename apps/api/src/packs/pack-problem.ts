import type { ProblemCode } from '@hcp/contracts';
import type { Finding } from '@hcp/core';
import type { PackRefusal, PackRefusalCode } from '@hcp/packs';
import { notFound, ProblemError } from '../platform/problem.js';

const ANSWERS: Readonly<Record<Exclude<PackRefusalCode, 'not_found'>, readonly [status: number, code: ProblemCode]>> = {
  human_only: [403, 'human_only'],
  missing_capability: [403, 'missing_capability'],
  invalid_archive: [422, 'invalid_pack'],
  invalid_pack: [422, 'invalid_pack'],
  reserved_pack_id: [409, 'conflict'],
  version_conflict: [409, 'version_conflict'],
  version_in_use: [409, 'conflict'],
  digest_mismatch: [409, 'version_conflict'],
  nothing_before: [409, 'conflict'],
};

const MAX_ERRORS = 100;

/** The use case's answer, or its refusal thrown as a problem. */
export function orProblem<T extends { readonly ok: true }>(answer: T | PackRefusal): T {
  if (answer.ok) return answer;
  if (answer.code === 'not_found') throw notFound();
  const [status, code] = ANSWERS[answer.code];
  throw new ProblemError(status, code, answer.detail, errorsOf(answer));
}

function errorsOf({ findings, entry, detail }: PackRefusal): { path: string; message: string }[] | undefined {
  if (entry !== undefined) return [{ path: entry, message: detail }];
  return findings?.slice(0, MAX_ERRORS).map(({ code, level, path, message, fix }: Finding) => ({
    path,
    message: `${level} ${code}: ${message}${fix === undefined ? '' : ` (${fix})`}`,
  }));
}

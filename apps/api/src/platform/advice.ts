import type { ProblemCode } from '@hcp/contracts';
import type { FastifyRequest } from 'fastify';
import { methodsOf } from './route-finder.js';
import { ProblemError } from './problem.js';

/** What to do next, for refusals whose detail only says no. The same for every cause of one code. */
const NEXT: Readonly<Partial<Record<ProblemCode, string>>> = {
  unauthenticated:
    'send `Authorization: Bearer` with an API key, or with an access token from POST /v1/auth/token; see /docs',
  missing_capability: 'GET /v1/me says what you hold; whoever holds access.manage can grant more',
  human_only: 'let a person do it who signs in by POST /v1/auth/token, without the header HCP-Agent',
};

const ID_IN_PATH = { path: '/id', says: 'is no id; ids are UUIDs' };

/** The same problem with what to do next in its detail. */
export function advise(problem: ProblemError, request: FastifyRequest): ProblemError {
  const next = NEXT[problem.code];
  if (next !== undefined) return said(problem, `${problem.detail}; ${next}`, problem.errors);
  return withList(problem, request);
}

/** Where the id in the path is none: the list that has the ids, if the path begins with one. */
function withList(problem: ProblemError, request: FastifyRequest): ProblemError {
  const { path, says } = ID_IN_PATH;
  const list = request.routeOptions?.url?.split('/:id', 1)[0];
  if (!problem.errors?.some((error) => error.path === path && error.message === says)) return problem;
  if (list === undefined || !methodsOf(list).includes('GET')) return problem;
  const message = `is no id; list them at GET ${list}`;
  const errors = problem.errors.map((error) => (error.path === path ? { path, message } : error));
  return said(problem, problem.detail.replace(says, message), errors);
}

function said(problem: ProblemError, detail: string, errors: ProblemError['errors']): ProblemError {
  const more = new ProblemError(problem.status, problem.code, detail, errors, problem.extras);
  more.cause = problem.cause;
  return more;
}

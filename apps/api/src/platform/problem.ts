import type { FieldError, Problem, ProblemCode } from '@hcp/contracts';

/** Members of a problem answer besides RFC 9457's own (see `problemSchema`), and response headers. */
export interface ProblemExtras {
  readonly tenants?: Problem['tenants'];
  readonly retry_after_ms?: number;
}

/**
 * A refusal outside exec, answered as RFC 9457 problem details (SPEC I1).
 * `code` is stable and for programs, `detail` for people; neither ever holds a value that the caller sent.
 */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  constructor(
    readonly status: number,
    readonly code: ProblemCode,
    readonly detail: string,
    /** Fields that are wrong, by JSON pointer. */
    readonly errors?: readonly FieldError[],
    readonly extras: ProblemExtras = {},
  ) {
    super(detail);
  }
}

/** What a caller may not know of looks the same as what does not exist. */
export const notFound = (): ProblemError => new ProblemError(404, 'not_found', 'no such thing, or not yours to see');

/** There is no such path, for anyone. */
export const noRoute = (): ProblemError => new ProblemError(404, 'not_found', 'no such route; see /docs');

/** Cookies came without what only a page of this site can send along (SPEC T5). */
export const notOwnPage = (): ProblemError =>
  new ProblemError(
    403,
    'forbidden',
    'cookies count only in requests of this site’s own pages, with the header HCP-CSRF: 1',
  );

/** The path is there, with other methods. */
export const wrongMethod = (methods: readonly string[]): ProblemError =>
  new ProblemError(405, 'method_not_allowed', `this path takes ${methods.join(', ')}`);

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Not authenticated',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Too large',
  415: 'Unsupported media type',
  422: 'Not acceptable as it is',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Not available now',
};

const CODES: Readonly<Record<number, ProblemCode>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  503: 'unavailable',
};

/** The stable code of a plain HTTP status, for errors that bring none of their own. */
export function codeForStatus(status: number): ProblemCode {
  return CODES[status] ?? (status < 500 ? 'invalid_request' : 'internal');
}

export function problemBody(error: Pick<ProblemError, 'status' | 'code' | 'detail' | 'errors' | 'extras'>): Problem {
  return {
    // RFC 9457: about:blank says that the title is the status' own; `code` is what programs branch on.
    type: 'about:blank',
    title: TITLES[error.status] ?? (error.status < 500 ? 'Bad request' : 'Internal error'),
    status: error.status,
    detail: error.detail,
    code: error.code,
    ...(error.errors ? { errors: [...error.errors] } : {}),
    ...error.extras,
  };
}

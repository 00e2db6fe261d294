/** Waits before the second and each later attempt, in seconds; after the last of these one more, then it is given up. */
export const RETRY_WAITS_S = [5, 30, 2 * 60, 10 * 60, 3600, 6 * 3600, 24 * 3600] as const;

/** A wait is longer by at most this part, so that what failed together does not come back together. */
const JITTER = 0.2;

/** What an attempt came to: the endpoint's status, or a class of why there was none. */
export type AttemptResult =
  { readonly status: number; readonly error?: undefined } | { readonly status?: undefined; readonly error: string };

export type AttemptVerdict =
  | { readonly kind: 'delivered' }
  /** The endpoint wants no more of these. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'again'; readonly wait_ms: number; readonly error: string }
  | { readonly kind: 'dead'; readonly error: string };

/**
 * What follows from an attempt. A redirect is no delivery: nobody checked where it leads.
 * @param attempts that were made, this one included
 * @param chance from 0 to 1
 */
export function judgeAttempt(result: AttemptResult, attempts: number, chance: number): AttemptVerdict {
  const { status } = result;
  if (status !== undefined && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'gone' };
  const error = result.error ?? (result.status >= 300 && result.status < 400 ? 'redirect' : 'refused');
  const wait_s = RETRY_WAITS_S[attempts - 1];
  if (wait_s === undefined) return { kind: 'dead', error };
  return { kind: 'again', wait_ms: Math.round(wait_s * 1000 * (1 + JITTER * chance)), error };
}

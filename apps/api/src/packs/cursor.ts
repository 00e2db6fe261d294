import { ProblemError } from '../platform/problem.js';

/** A page's last sort key as an opaque cursor. */
export function cursorOf(key: string | null): string | null {
  return key === null ? null : Buffer.from(key, 'utf8').toString('base64url');
}

/** The sort key in a cursor of ours; null for the first page. A made-up one is refused, not read as the first page. */
export function keyOfCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const key = Buffer.from(cursor, 'base64url').toString('utf8');
  // Node skips what is no base64, so only a round trip shows that the cursor is one.
  if (/^[a-z][a-z0-9._ -]*$/.test(key) && cursorOf(key) === cursor) return key;
  throw new ProblemError(400, 'invalid_request', 'the request is not valid', [
    { path: '/cursor', message: 'is no next_cursor of this list' },
  ]);
}

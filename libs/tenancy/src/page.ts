import { refuse, type Refusal } from './outcome.js';

/** SPEC I1. */
export interface PageRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface PageResult<T> {
  readonly items: T[];
  readonly next_cursor: string | null;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The id that a cursor stands for: the last one seen. Null where it is no cursor of ours. */
function readCursor(cursor: string): string | null {
  const id = Buffer.from(cursor, 'base64url').toString('latin1');
  return UUID.test(id) ? id : null;
}

/**
 * Lists rows by id, oldest first: ids are UUIDs of version 7, which sort by the time they were made.
 * @param fetch reads `take` rows with an id greater than `after`, in order
 * @returns null when the cursor is malformed
 */
export async function pageById<Row extends { readonly id: string }, Item>(
  request: PageRequest,
  fetch: (range: { readonly after: string | undefined; readonly take: number }) => Promise<Row[]>,
  item: (row: Row) => Item,
): Promise<PageResult<Item> | null> {
  const after = request.cursor === undefined ? undefined : readCursor(request.cursor);
  if (after === null) return null;
  const limit = Math.min(Math.max(request.limit ?? DEFAULT_LIMIT, 1), MAX_LIMIT);
  const rows = await fetch({ after, take: limit + 1 });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next_cursor = rows.length > limit && last ? Buffer.from(last.id, 'latin1').toString('base64url') : null;
  return { items: page.map(item), next_cursor };
}

export const badCursor = (): Refusal => refuse('invalid_request', 'is no cursor of this list', { path: '/cursor' });

import { DEFAULT_PAGE_SIZE, type Page, type PageQuery } from '@hcp/contracts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Rows by id, oldest first: ids are UUIDs of version 7.
 * @returns null where the cursor is none of ours
 */
export async function pageById<Row extends { readonly id: string }>(
  { limit = DEFAULT_PAGE_SIZE, cursor }: PageQuery,
  fetch: (range: { readonly after: string | undefined; readonly take: number }) => Promise<Row[]>,
): Promise<Page<Row> | null> {
  const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString('latin1');
  if (after !== undefined && !UUID.test(after)) return null;
  const rows = await fetch({ after, take: limit + 1 });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const next_cursor = rows.length > limit && last ? Buffer.from(last.id, 'latin1').toString('base64url') : null;
  return { items, next_cursor };
}

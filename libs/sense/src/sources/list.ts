import {
  DEFAULT_PAGE_SIZE,
  type ListSenseSourcesQuery,
  type Page,
  type SenseSource as SourceAnswer,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { Database } from '@hcp/database';
import { sourceAnswer } from './records.js';
import { mayEnable } from './rights.js';

/** Sources that the caller may turn on or off, newest first; a page may hold fewer than there is room for. */
export async function listSources(
  db: Database,
  caller: Caller,
  { limit = DEFAULT_PAGE_SIZE, cursor }: ListSenseSourcesQuery,
  now: Date,
): Promise<Page<SourceAnswer>> {
  const { tenant_id } = caller;
  const rows = await db.tenant(tenant_id, (tx) =>
    tx.senseSource.findMany({
      where: { tenant_id, ...(cursor !== undefined && { id: { lt: cursor } }) },
      orderBy: { id: 'desc' },
      take: limit + 1,
    }),
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.filter((row) => mayEnable(caller, row, now)).map(sourceAnswer),
    next_cursor: rows.length > limit && last ? last.id : null,
  };
}

import { empty, join, sql, type Sql, type Tx } from '@hcp/database';
import { auditItem, type AuditItem } from './item.js';

/** What `GET /v1/audit` filters by (SPEC U4). Times are RFC 3339; `since` is inclusive, `until` exclusive. */
export interface AuditFilters {
  readonly limit?: number;
  readonly cursor?: string;
  readonly action?: string;
  readonly principal_id?: string;
  readonly project_id?: string;
  readonly pack_id?: string;
  readonly verb_key?: string;
  readonly decision?: string;
  readonly run_id?: string;
  readonly since?: string;
  readonly until?: string;
}

export interface AuditPage {
  readonly items: readonly AuditItem[];
  /** Null on the last page. */
  readonly next_cursor: string | null;
}

const MAX_LIMIT = 500;

/** The sequence number a cursor stands for, or null when it is none of ours. */
export function readCursor(cursor: string): bigint | null {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  return /^[1-9][0-9]{0,17}$/.test(text) ? BigInt(text) : null;
}

const cursorFor = (seq: bigint): string => Buffer.from(String(seq), 'latin1').toString('base64url');

/**
 * Newest first, one page. A cursor names the last event seen, so that events written meanwhile shift nothing.
 * @returns null when the cursor is malformed
 */
export async function listAudit(tx: Tx, filters: AuditFilters): Promise<AuditPage | null> {
  const before = filters.cursor === undefined ? null : readCursor(filters.cursor);
  if (filters.cursor !== undefined && before === null) return null;
  const limit = Math.min(Math.max(filters.limit ?? 50, 1), MAX_LIMIT);
  const { action, principal_id, project_id, pack_id, verb_key, decision, run_id, since, until } = filters;
  const rows = await tx.auditEvent.findMany({
    where: {
      action,
      principal_id,
      project_id,
      pack_id,
      verb_key,
      decision,
      run_id,
      seq: before === null ? undefined : { lt: before },
      at: since || until ? { gte: since && new Date(since), lt: until && new Date(until) } : undefined,
    },
    orderBy: { seq: 'desc' },
    take: limit + 1,
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(auditItem),
    next_cursor: rows.length > limit && last ? cursorFor(last.seq) : null,
  };
}

/** The same filters as a condition on `e`, for statements of one's own. */
export function matching(filters: Omit<AuditFilters, 'limit' | 'cursor'>): Sql {
  const { since, until, ...columns } = filters;
  const wanted: Sql[] = [];
  const texts = ['action', 'pack_id', 'verb_key', 'decision'] as const;
  const ids = ['principal_id', 'project_id', 'run_id'] as const;
  const names = {
    action: sql`e.action`,
    pack_id: sql`e.pack_id`,
    verb_key: sql`e.verb_key`,
    decision: sql`e.decision`,
  };
  for (const name of texts) if (columns[name] !== undefined) wanted.push(sql`${names[name]} = ${columns[name]}`);
  const id_names = { principal_id: sql`e.principal_id`, project_id: sql`e.project_id`, run_id: sql`e.run_id` };
  for (const name of ids) if (columns[name] !== undefined) wanted.push(sql`${id_names[name]} = ${columns[name]}::uuid`);
  if (since !== undefined) wanted.push(sql`e.at >= ${new Date(since)}`);
  if (until !== undefined) wanted.push(sql`e.at < ${new Date(until)}`);
  return wanted.length === 0 ? empty : sql`and ${join(wanted, ' and ')}`;
}

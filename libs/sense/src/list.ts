import { DEFAULT_PAGE_SIZE, type ListSenseQuery, type Page, type SenseEvent as SenseAnswer } from '@hcp/contracts';
import { seesSense, type Caller } from '@hcp/core';
import type { Database, SenseEvent, Tx } from '@hcp/database';

/** Which of these requests for approval the caller may see, by the rule of the route that answers one. */
export type SeenApprovals = (tx: Tx, caller: Caller, ids: readonly string[], now: Date) => Promise<readonly string[]>;

export interface LookDeps {
  readonly db: Database;
  readonly approvals: SeenApprovals;
}

/** Open events unless all are asked for, newest first; a page may hold fewer than there is room for (SPEC N1). */
export function listSense(
  { db, approvals }: LookDeps,
  caller: Caller,
  { open, kind, severity, pack_id, limit = DEFAULT_PAGE_SIZE, cursor }: ListSenseQuery,
  now: Date,
): Promise<Page<SenseAnswer>> {
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx) => {
    const rows = await tx.senseEvent.findMany({
      where: {
        tenant_id,
        ...(open !== '0' && { cleared_at: null }),
        ...(kind !== undefined && { kind }),
        ...(severity !== undefined && { severity }),
        ...(pack_id !== undefined && { pack_id }),
        ...(cursor !== undefined && { id: { lt: cursor } }),
      },
      orderBy: { id: 'desc' },
      take: limit + 1,
    });
    const page = rows.slice(0, limit);
    const seen = await visible(tx, approvals, caller, page, now);
    const last = page.at(-1);
    return { items: seen.map(senseAnswer), next_cursor: rows.length > limit && last ? last.id : null };
  });
}

/** Those of these events that the caller may see: the rule is that of the list. */
export async function seenSense(
  tx: Tx,
  approvals: SeenApprovals,
  caller: Caller,
  ids: readonly string[],
  now: Date,
): Promise<SenseEvent[]> {
  const rows = await tx.senseEvent.findMany({ where: { tenant_id: caller.tenant_id, id: { in: [...ids] } } });
  return visible(tx, approvals, caller, rows, now);
}

async function visible(
  tx: Tx,
  approvals: SeenApprovals,
  caller: Caller,
  rows: readonly SenseEvent[],
  now: Date,
): Promise<SenseEvent[]> {
  const asked = rows.flatMap((row) => approvalOf(row) ?? []);
  const seen = new Set(asked.length === 0 ? [] : await approvals(tx, caller, asked, now));
  return rows.filter((row) => seesSense(caller, row, now, { approval: seen.has(approvalOf(row) ?? '') }));
}

function approvalOf({ kind, source_id, subject }: SenseEvent): string | null {
  return kind === 'approval_waiting' && source_id === null ? subject.slice('approval:'.length) : null;
}

function senseAnswer(row: SenseEvent): SenseAnswer {
  return {
    id: row.id,
    kind: row.kind,
    severity: row.severity as SenseAnswer['severity'],
    subject: row.subject,
    message: row.message,
    pack_id: row.pack_id,
    verb_key: row.source_verb,
    project_id: row.project_id,
    principal_id: row.principal_id,
    count: row.count,
    opened_at: row.opened_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    cleared_at: row.cleared_at?.toISOString() ?? null,
  };
}

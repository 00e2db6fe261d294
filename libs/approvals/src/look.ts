import { DEFAULT_PAGE_SIZE, type Approval as ApprovalAnswer, type ListApprovalsQuery, type Page } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { Approval, ApprovalDecision, Tx } from '@hcp/database';
import { namesIn } from './names.js';
import type { ApprovalDeps, Sealer } from './ports.js';
import { approvalAnswer, seesApproval } from './records.js';
import { done, unknownThing, type Answer } from './refusal.js';

type LookDeps = Pick<ApprovalDeps, 'db' | 'keys'>;

/** @returns not_found for an unknown one, another tenant's, and one the caller may not see, alike */
export async function getApproval(
  { db, keys }: LookDeps,
  caller: Caller,
  id: string,
  { now, full }: { readonly now: Date; readonly full: boolean },
): Promise<Answer<ApprovalAnswer>> {
  const { tenant_id } = caller;
  const sealer = await keys(tenant_id);
  return db.tenant(tenant_id, async (tx): Promise<Answer<ApprovalAnswer>> => {
    const row = await tx.approval.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
    if (!row || !seesApproval(caller, row, now)) return unknownThing();
    return done(await answerOf(tx, sealer, row, { now, full }));
  });
}

/** One request as the wire has it, with everyone's names. */
export async function answerOf(
  tx: Tx,
  sealer: Sealer,
  row: Approval,
  when: { readonly now: Date; readonly full: boolean },
): Promise<ApprovalAnswer> {
  const decisions = await decisionsOf(tx, [row]);
  return approvalAnswer(sealer, row, decisions, { ...when, names: await namesIn(tx, [row], decisions) });
}

/** Those of these requests that the caller may see, without their cards: the rule is that of `getApproval`. */
export async function seenApprovals(tx: Tx, caller: Caller, ids: readonly string[], now: Date): Promise<Approval[]> {
  const rows = (await tx.approval.findMany({
    where: { tenant_id: caller.tenant_id, id: { in: [...ids] } },
    omit: { sealed: true },
  })) as Approval[];
  return rows.filter((row) => seesApproval(caller, row, now));
}

/** Newest first; a page may hold fewer than there is room for. The cursor is the last id looked at. */
export async function listApprovals(
  { db, keys }: LookDeps,
  caller: Caller,
  { state, limit = DEFAULT_PAGE_SIZE, cursor }: ListApprovalsQuery,
  now: Date,
): Promise<Page<ApprovalAnswer>> {
  const { tenant_id } = caller;
  const sealer = await keys(tenant_id);
  return db.tenant(tenant_id, async (tx) => {
    const rows = await tx.approval.findMany({
      where: {
        tenant_id,
        ...(cursor !== undefined && { id: { lt: cursor } }),
        AND: [whose(caller), inState(state, now)],
      },
      orderBy: { id: 'desc' },
      take: limit + 1,
    });
    const page = rows.slice(0, limit);
    const seen = page.filter((row) => seesApproval(caller, row, now));
    const decisions = await decisionsOf(tx, seen);
    const of = (row: Approval): ApprovalDecision[] => decisions.filter((each) => each.approval_id === row.id);
    const names = await namesIn(tx, seen, decisions);
    const last = page.at(-1);
    return {
      items: seen.map((row) => approvalAnswer(sealer, row, of(row), { now, full: false, names })),
      next_cursor: rows.length > limit && last ? last.id : null,
    };
  });
}

export function decisionsOf(tx: Tx, rows: readonly Approval[]): Promise<ApprovalDecision[]> {
  const [first] = rows;
  if (!first) return Promise.resolve([]);
  return tx.approvalDecision.findMany({
    where: { tenant_id: first.tenant_id, approval_id: { in: rows.map(({ id }) => id) } },
    orderBy: [{ at: 'asc' }, { id: 'asc' }],
  });
}

/** Others' requests only for who may decide some; each is then looked at by itself. */
export function whose({ principal, authority }: Caller): object {
  const decides = authority.layers.every((layer) => layer.some(({ capability }) => capability === 'approval.decide'));
  return decides && authority.layers.length > 0
    ? {}
    : { OR: [{ principal_id: principal.id }, { acts_for: principal.id }] };
}

/** By the clock, as everywhere: what is written down may be late. */
export function inState(state: ListApprovalsQuery['state'], now: Date): object {
  switch (state) {
    case undefined:
      return {};
    case 'pending':
      return { state, pending_expires_at: { gt: now } };
    case 'approved':
      return { state, use_expires_at: { gt: now } };
    case 'expired':
      return {
        OR: [
          { state },
          { state: 'pending', pending_expires_at: { lte: now } },
          { state: 'approved', use_expires_at: { lte: now } },
        ],
      };
    default:
      return { state };
  }
}

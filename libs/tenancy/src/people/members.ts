import type { Member, PageQuery } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { Database } from '@hcp/database';
import { done, type Outcome } from '../outcome.js';
import { badCursor, pageById, type PageResult } from '../page.js';
import { refuseUnless } from '../rights/rights.js';
import { roleAssignmentAnswer } from '../rights/role-assignments.js';

/** Principals of every kind with their roles. */
export async function listMembers(
  db: Database,
  caller: Caller,
  query: PageQuery,
): Promise<Outcome<PageResult<Member>>> {
  const refusal = refuseUnless(caller, 'access.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<PageResult<Member>>> => {
    const page = await pageById(
      query,
      ({ after, take }) =>
        tx.principal.findMany({ where: { tenant_id, id: { gt: after } }, orderBy: { id: 'asc' }, take }),
      (row) => row,
    );
    if (!page) return badCursor();
    const ids = page.items.map(({ id }) => id);
    const user_ids = page.items.flatMap(({ user_id }) => (user_id === null ? [] : [user_id]));
    const users = await tx.user.findMany({
      where: { id: { in: user_ids } },
      select: { id: true, email: true, disabled_at: true },
    });
    const assignments = await tx.roleAssignment.findMany({
      where: { tenant_id, principal_id: { in: ids } },
      orderBy: { id: 'asc' },
    });
    const items = page.items.map((row): Member => {
      const user = users.find(({ id }) => id === row.user_id);
      return {
        id: row.id,
        kind: row.kind as Member['kind'],
        name: row.name,
        ...(user ? { email: user.email } : {}),
        acts_for: row.acts_for,
        disabled: row.disabled_at !== null || (user?.disabled_at ?? null) !== null,
        roles: assignments.filter(({ principal_id }) => principal_id === row.id).map(roleAssignmentAnswer),
      };
    });
    return done({ items, next_cursor: page.next_cursor });
  });
}

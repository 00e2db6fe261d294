import type { ListMembersQuery, Member } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { Database, PrincipalRow, Tx } from '@hcp/database';
import { done, unknownThing, type Outcome } from '../outcome.js';
import { badCursor, pageById, type PageResult } from '../page.js';
import { refuseUnless } from '../rights/rights.js';
import { roleAssignmentAnswer } from '../rights/role-assignments.js';
import { principalsWith } from './search.js';

/** Principals of every kind with their roles. */
export async function listMembers(
  db: Database,
  caller: Caller,
  query: ListMembersQuery,
): Promise<Outcome<PageResult<Member>>> {
  const refusal = refuseUnless(caller, 'access.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const { kind, search } = query;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<PageResult<Member>>> => {
    const page = await pageById(
      query,
      async ({ after, take }) => {
        if (search === undefined) {
          return tx.principal.findMany({ where: { tenant_id, kind, id: { gt: after } }, orderBy: { id: 'asc' }, take });
        }
        const found = await tx.$queryRaw<{ id: string }[]>(principalsWith(search, { tenant_id, kind, after, take }));
        const ids = found.map(({ id }) => id);
        return tx.principal.findMany({ where: { tenant_id, id: { in: ids } }, orderBy: { id: 'asc' } });
      },
      (row) => row,
    );
    if (!page) return badCursor();
    return done({ items: await describe(tx, tenant_id, page.items), next_cursor: page.next_cursor });
  });
}

export async function getMember(db: Database, caller: Caller, id: string): Promise<Outcome<Member>> {
  const refusal = refuseUnless(caller, 'access.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<Member>> => {
    const row = await tx.principal.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
    const [member] = row ? await describe(tx, tenant_id, [row]) : [];
    return member ? done(member) : unknownThing();
  });
}

/** With roles and projects, and the email of the user or the one that an issuer tells. */
async function describe(tx: Tx, tenant_id: string, rows: readonly PrincipalRow[]): Promise<Member[]> {
  const ids = rows.map(({ id }) => id);
  const user_ids = rows.flatMap(({ user_id }) => (user_id === null ? [] : [user_id]));
  const users = await tx.user.findMany({
    where: { id: { in: user_ids } },
    select: { id: true, email: true, disabled_at: true },
  });
  const where = { tenant_id, principal_id: { in: ids } };
  const identities = await tx.externalIdentity.findMany({ where, orderBy: { created_at: 'asc' } });
  const assignments = await tx.roleAssignment.findMany({ where, orderBy: { id: 'asc' } });
  const memberships = await tx.projectMember.findMany({ where, orderBy: { project_id: 'asc' } });
  return rows.map((row): Member => {
    const user = users.find(({ id }) => id === row.user_id);
    const identity = identities.find(({ principal_id, email }) => principal_id === row.id && email !== null);
    const email = user?.email ?? identity?.email;
    return {
      id: row.id,
      kind: row.kind as Member['kind'],
      name: row.name,
      ...(email === undefined || email === null ? {} : { email }),
      acts_for: row.acts_for,
      disabled: row.disabled_at !== null || (user?.disabled_at ?? null) !== null,
      roles: assignments.filter(({ principal_id }) => principal_id === row.id).map(roleAssignmentAnswer),
      projects: memberships.filter(({ principal_id }) => principal_id === row.id).map(({ project_id }) => project_id),
    };
  });
}

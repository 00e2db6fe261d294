import type { Tx } from '@hcp/database';

/**
 * Whether anybody besides this principal owns the whole tenant: without an owner nobody could ever give that role again.
 * Bump the epoch first: its lock makes two who ask at once wait for each other.
 */
export async function othersOwn(tx: Tx, tenant_id: string, principal_id: string): Promise<boolean> {
  const others = await tx.roleAssignment.findMany({
    where: { tenant_id, role: 'owner', project_id: null, principal_id: { not: principal_id } },
    select: { principal_id: true },
  });
  const ids = others.map((other) => other.principal_id);
  const people = await tx.principal.findMany({
    where: { tenant_id, id: { in: ids }, kind: 'human', disabled_at: null },
    select: { user_id: true },
  });
  const user_ids = people.flatMap(({ user_id }) => (user_id === null ? [] : [user_id]));
  const disabled = await tx.user.count({ where: { id: { in: user_ids }, disabled_at: { not: null } } });
  return people.length > disabled;
}

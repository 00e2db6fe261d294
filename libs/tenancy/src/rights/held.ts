import type { Grant } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { roleGrantsByName } from './role-names.js';
import { grantOf, within } from './stored-grant.js';

/** All that a principal holds by itself now: what a key without grants of its own would reach. */
export async function grantsHeldBy(tx: Tx, tenant_id: string, principal_id: string): Promise<Grant[]> {
  const rows = await tx.grant.findMany({ where: { tenant_id, principal_id } });
  const in_force = rows.filter((row) => row.expires_at === null || row.expires_at.getTime() > Date.now());
  const assignments = await tx.roleAssignment.findMany({ where: { tenant_id, principal_id } });
  const by_role: Grant[] = [];
  for (const { role, project_id } of assignments) {
    by_role.push(...within(project_id, (await roleGrantsByName(tx, tenant_id, role)) ?? []));
  }
  return [...in_force.map(grantOf), ...by_role];
}

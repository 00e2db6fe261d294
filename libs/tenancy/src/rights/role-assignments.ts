import type { AssignRole, RoleAssignment as RoleAssignmentAnswer } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { Database, RoleAssignment } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { done, refuse, unknownThing, type Outcome } from '../outcome.js';
import { bumpEpoch, recordRightsChange } from './changes.js';
import { othersOwn } from './owners.js';
import { refuseUnless, refuseWider } from './rights.js';
import { roleGrantsByName } from './role-names.js';
import { projectExists, within } from './stored-grant.js';

export const roleAssignmentAnswer = (row: RoleAssignment): RoleAssignmentAnswer => ({
  id: row.id,
  role: row.role,
  project_id: row.project_id,
  created_at: row.created_at.toISOString(),
});

/** Gives a principal a role, in the tenant or in one project: needs `access.manage` there and all that the role gives. */
export async function assignRole(
  db: Database,
  caller: Caller,
  principal_id: string,
  { role, project_id }: AssignRole,
): Promise<Outcome<RoleAssignmentAnswer>> {
  const refusal = refuseUnless(caller, 'access.manage', { project_id });
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<RoleAssignmentAnswer>> => {
    const grants = await roleGrantsByName(tx, tenant_id, role);
    if (!grants) return refuse('invalid_request', 'is no role of this tenant', { path: '/role' });
    const wider = refuseWider(caller, within(project_id, grants), '/role');
    if (wider) return wider;
    const owner = await tx.principal.findUnique({ where: { tenant_id_id: { tenant_id, id: principal_id } } });
    if (!owner) return unknownThing();
    if (project_id !== undefined && !(await projectExists(tx, tenant_id, project_id))) return unknownThing();
    const same = { tenant_id, principal_id, role, project_id: project_id ?? null };
    const there = await tx.roleAssignment.findFirst({ where: same });
    if (there) return refuse('conflict', 'the principal has this role there already');
    const row = await tx.roleAssignment.create({ data: { ...same, id: uuidv7(), created_by: caller.principal.id } });
    await recordRightsChange(tx, caller, {
      action: 'role.assign',
      subject: `principal:${principal_id}`,
      project_id: row.project_id,
      details: { role, assignment_id: row.id },
    });
    return done(roleAssignmentAnswer(row));
  });
}

export async function unassignRole(
  db: Database,
  caller: Caller,
  principal_id: string,
  id: string,
): Promise<Outcome<null>> {
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<null>> => {
    const row = await tx.roleAssignment.findFirst({ where: { tenant_id, id, principal_id } });
    if (!row) return unknownThing();
    const refusal = refuseUnless(caller, 'access.manage', row);
    if (refusal) return refusal;
    await bumpEpoch(tx, tenant_id);
    if (row.role === 'owner' && row.project_id === null && !(await othersOwn(tx, tenant_id, principal_id)))
      return refuse('conflict', 'a tenant keeps at least one owner');
    await tx.roleAssignment.deleteMany({ where: { tenant_id, id } });
    await recordRightsChange(tx, caller, {
      action: 'role.unassign',
      subject: `principal:${principal_id}`,
      project_id: row.project_id,
      details: { role: row.role, assignment_id: id },
    });
    return done(null);
  });
}

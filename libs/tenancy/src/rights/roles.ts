import type { CreateRole, PageQuery, Role as RoleAnswer, UpdateRole } from '@hcp/contracts';
import { BUILTIN_ROLES, type Caller, type Grant } from '@hcp/core';
import { isUniqueViolation, type Database } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { parseGrants } from '../caller/build.js';
import { done, refuse, unknownThing, type Outcome } from '../outcome.js';
import { badCursor, pageById, type PageResult } from '../page.js';
import { recordRightsChange } from './changes.js';
import { refuseUnless, refuseWider } from './rights.js';
import { isBuiltInRole } from './role-names.js';
import { grantFacts } from './stored-grant.js';

/** Zod's inferred types are mutable; ours are not. */
const plain = (grants: readonly Grant[]): RoleAnswer['grants'] =>
  grants.map(({ verb_keys, ...grant }) => ({ ...grant, ...(verb_keys ? { verb_keys: [...verb_keys] } : {}) }));

const BUILT_IN: readonly RoleAnswer[] = Object.entries(BUILTIN_ROLES).map(([name, grants]) => ({
  id: null,
  name,
  built_in: true,
  grants: plain(grants),
}));

/** Roles of the tenant; the built-in ones come in front, on the first page and beyond its size. */
export async function listRoles(
  db: Database,
  caller: Caller,
  query: PageQuery,
): Promise<Outcome<PageResult<RoleAnswer>>> {
  const { tenant_id } = caller;
  const page = await db.tenant(tenant_id, (tx) =>
    pageById(
      query,
      ({ after, take }) => tx.role.findMany({ where: { tenant_id, id: { gt: after } }, orderBy: { id: 'asc' }, take }),
      (row): RoleAnswer => ({ id: row.id, name: row.name, built_in: false, grants: plain(parseGrants(row.grants)) }),
    ),
  );
  if (!page) return badCursor();
  return done(query.cursor === undefined ? { ...page, items: [...BUILT_IN, ...page.items] } : page);
}

/** Defines a role, no wider than what its author holds (SPEC G5). */
export async function createRole(db: Database, caller: Caller, input: CreateRole): Promise<Outcome<RoleAnswer>> {
  const refusal = refuseUnless(caller, 'access.manage') ?? refuseWider(caller, input.grants, '/grants/*');
  if (refusal) return refusal;
  if (isBuiltInRole(input.name)) return refuse('conflict', 'a built-in role has this name', { path: '/name' });
  const { tenant_id } = caller;
  const id = uuidv7();
  try {
    await db.tenant(tenant_id, async (tx) => {
      await tx.role.create({ data: { tenant_id, id, name: input.name, grants: plain(input.grants) } });
      const details = { name: input.name, ...grantFacts(input.grants) };
      await recordRightsChange(tx, caller, { action: 'role.create', subject: `role:${id}`, details });
    });
  } catch (error) {
    if (isUniqueViolation(error)) return refuse('conflict', 'a role of the tenant has this name', { path: '/name' });
    throw error;
  }
  return done({ id, name: input.name, built_in: false, grants: plain(input.grants) });
}

/** Changes what a role gives, at once for everyone who has it: no wider than what who changes it holds (SPEC G5). */
export async function updateRole(
  db: Database,
  caller: Caller,
  id: string,
  input: UpdateRole,
): Promise<Outcome<RoleAnswer>> {
  const refusal = refuseUnless(caller, 'access.manage') ?? refuseWider(caller, input.grants, '/grants/*');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<RoleAnswer>> => {
    const role = await tx.role.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
    if (!role) return unknownThing();
    await tx.role.updateMany({ where: { tenant_id, id }, data: { grants: plain(input.grants) } });
    const details = { name: role.name, ...grantFacts(input.grants) };
    await recordRightsChange(tx, caller, { action: 'role.update', subject: `role:${id}`, details });
    return done({ id, name: role.name, built_in: false, grants: plain(input.grants) });
  });
}

/** Deletes a role and takes it from everyone who had it, and from issuers that would give it. */
export async function deleteRole(db: Database, caller: Caller, id: string): Promise<Outcome<null>> {
  const refusal = refuseUnless(caller, 'access.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<null>> => {
    const role = await tx.role.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
    if (!role) return unknownThing();
    const { count } = await tx.roleAssignment.deleteMany({ where: { tenant_id, role: role.name } });
    await tx.oidcIssuer.updateMany({ where: { tenant_id, jit_role: role.name }, data: { jit_role: null } });
    await tx.role.deleteMany({ where: { tenant_id, id } });
    const details = { name: role.name, assignments: count };
    await recordRightsChange(tx, caller, { action: 'role.delete', subject: `role:${id}`, details });
    return done(null);
  });
}

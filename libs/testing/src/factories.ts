import { randomUUID } from 'node:crypto';
import type { Capability, PrincipalKind } from '@hcp/core';
import type { Database, GrantRow, PrincipalRow, Project, Tenant, User } from '@hcp/database';

/** Rows written directly, each with fresh ids and names; what a test does not care about has a default. */

let counter = 0;
const fresh = (word: string): string => `${word}-${String(++counter)}-${randomUUID().slice(0, 8)}`;

export async function makeTenant(db: Database, fields: Partial<Tenant> = {}): Promise<Tenant> {
  const id = fields.id ?? randomUUID();
  const slug = fresh('tenant');
  return db.tenant(id, (tx) => tx.tenant.create({ data: { slug, name: slug, ...fields, id } }));
}

export async function makeUser(db: Database, fields: Partial<User> = {}): Promise<User> {
  const name = fresh('person');
  return db.global((tx) =>
    tx.user.create({
      data: { id: randomUUID(), email: `${name}@example.com`, name, password_hash: 'no password', ...fields },
    }),
  );
}

/** A human in the tenant, with a new user unless `user_id` is given. */
export async function makeHuman(
  db: Database,
  tenant_id: string,
  fields: Partial<PrincipalRow> = {},
): Promise<PrincipalRow> {
  const user_id = fields.user_id ?? (await makeUser(db)).id;
  return makePrincipal(db, tenant_id, 'human', { ...fields, user_id });
}

/** An agent; `acts_for` names the human it acts for. */
export async function makeAgent(
  db: Database,
  tenant_id: string,
  fields: Partial<PrincipalRow> = {},
): Promise<PrincipalRow> {
  return makePrincipal(db, tenant_id, 'agent', fields);
}

export async function makeService(
  db: Database,
  tenant_id: string,
  fields: Partial<PrincipalRow> = {},
): Promise<PrincipalRow> {
  return makePrincipal(db, tenant_id, 'service', fields);
}

async function makePrincipal(
  db: Database,
  tenant_id: string,
  kind: PrincipalKind,
  fields: Partial<PrincipalRow>,
): Promise<PrincipalRow> {
  return db.tenant(tenant_id, (tx) =>
    tx.principal.create({ data: { id: randomUUID(), name: fresh(kind), ...fields, kind, tenant_id } }),
  );
}

/** A project with these principals (ids) as members. */
export async function makeProject(
  db: Database,
  tenant_id: string,
  members: readonly string[] = [],
  fields: Partial<Project> = {},
): Promise<Project> {
  return db.tenant(tenant_id, async (tx) => {
    const project = await tx.project.create({
      data: { id: randomUUID(), name: fresh('project'), ...fields, tenant_id },
    });
    for (const principal_id of members) {
      await tx.projectMember.create({ data: { tenant_id, project_id: project.id, principal_id } });
    }
    return project;
  });
}

/** A grant of one capability to a principal (id). */
export async function makeGrant(
  db: Database,
  tenant_id: string,
  principal_id: string,
  capability: Capability,
  fields: Partial<GrantRow> = {},
): Promise<GrantRow> {
  return db.tenant(tenant_id, (tx) =>
    tx.grant.create({ data: { id: randomUUID(), ...fields, capability, principal_id, tenant_id } }),
  );
}

/** Gives a principal (id) a role, built in or the tenant's, everywhere or in one project. */
export async function assignRole(
  db: Database,
  tenant_id: string,
  principal_id: string,
  role: string,
  project_id: string | null = null,
): Promise<void> {
  await db.tenant(tenant_id, (tx) =>
    tx.roleAssignment.create({ data: { id: randomUUID(), role, project_id, principal_id, tenant_id } }),
  );
}

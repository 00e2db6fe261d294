import type { CreateProject, PageQuery, Project as ProjectAnswer, ProjectDetail, UpdateProject } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { isForeignKeyViolation, isUniqueViolation, type Database, type Project } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { done, refuse, unknownThing, type Outcome } from '../outcome.js';
import { badCursor, pageById, type PageResult } from '../page.js';
import { auditChange, recordRightsChange } from '../rights/changes.js';
import { may, refuseUnless } from '../rights/rights.js';
import { projectExists } from '../rights/stored-grant.js';

/** Creates a project; who creates it is its first member. */
export async function createProject(
  db: Database,
  caller: Caller,
  input: CreateProject,
): Promise<Outcome<ProjectAnswer>> {
  const refusal = refuseUnless(caller, 'tenant.manage');
  if (refusal) return refusal;
  const { tenant_id, principal } = caller;
  try {
    return await db.tenant(tenant_id, async (tx) => {
      const row = await tx.project.create({ data: { tenant_id, id: uuidv7(), name: input.name } });
      await tx.projectMember.create({ data: { tenant_id, project_id: row.id, principal_id: principal.id } });
      const subject = `project:${row.id}`;
      await recordRightsChange(tx, caller, { action: 'project.create', subject, project_id: row.id });
      return done(projectAnswer(row));
    });
  } catch (error) {
    if (isUniqueViolation(error)) return refuse('conflict', 'a project of the tenant has this name', { path: '/name' });
    throw error;
  }
}

/** Every project for who manages the tenant, else those the caller is a member of. */
export async function listProjects(
  db: Database,
  caller: Caller,
  query: PageQuery,
): Promise<Outcome<PageResult<ProjectAnswer>>> {
  const { tenant_id } = caller;
  const visible = may(caller, 'tenant.manage') ? undefined : [...caller.authority.member_of];
  const page = await db.tenant(tenant_id, (tx) =>
    pageById(
      query,
      ({ after, take }) =>
        tx.project.findMany({ where: { tenant_id, id: { gt: after, in: visible } }, orderBy: { id: 'asc' }, take }),
      projectAnswer,
    ),
  );
  return page ? done(page) : badCursor();
}

export async function getProject(db: Database, caller: Caller, id: string): Promise<Outcome<ProjectDetail>> {
  const { tenant_id, authority } = caller;
  if (!authority.member_of.includes(id) && !may(caller, 'tenant.manage', { project_id: id })) return unknownThing();
  return db.tenant(tenant_id, async (tx): Promise<Outcome<ProjectDetail>> => {
    const row = await tx.project.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
    if (!row) return unknownThing();
    const members = await tx.projectMember.findMany({
      where: { tenant_id, project_id: id },
      orderBy: { principal_id: 'asc' },
      select: { principal_id: true },
    });
    return done({ ...projectAnswer(row), members: members.map(({ principal_id }) => principal_id) });
  });
}

export async function renameProject(
  db: Database,
  caller: Caller,
  id: string,
  input: UpdateProject,
): Promise<Outcome<ProjectAnswer>> {
  const refusal = refuseUnless(caller, 'tenant.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  try {
    return await db.tenant(tenant_id, async (tx): Promise<Outcome<ProjectAnswer>> => {
      const { count } = await tx.project.updateMany({ where: { tenant_id, id }, data: { name: input.name } });
      if (count === 0) return unknownThing();
      await auditChange(tx, caller, { action: 'project.rename', subject: `project:${id}`, project_id: id });
      return done(projectAnswer(await tx.project.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id, id } } })));
    });
  } catch (error) {
    if (isUniqueViolation(error)) return refuse('conflict', 'a project of the tenant has this name', { path: '/name' });
    throw error;
  }
}

/** Deletes a project with its memberships and what was granted in it; not one that runs, keys or sessions refer to. */
export async function deleteProject(db: Database, caller: Caller, id: string): Promise<Outcome<null>> {
  const refusal = refuseUnless(caller, 'tenant.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  try {
    return await db.tenant(tenant_id, async (tx): Promise<Outcome<null>> => {
      const { count } = await tx.project.deleteMany({ where: { tenant_id, id } });
      if (count === 0) return unknownThing();
      await recordRightsChange(tx, caller, { action: 'project.delete', subject: `project:${id}`, project_id: id });
      return done(null);
    });
  } catch (error) {
    if (isForeignKeyViolation(error))
      return refuse('conflict', 'runs, keys or sessions of the tenant refer to the project');
    throw error;
  }
}

/** Makes a principal a member of a project; again changes nothing. */
export async function addProjectMember(
  db: Database,
  caller: Caller,
  project_id: string,
  principal_id: string,
): Promise<Outcome<null>> {
  const refusal = refuseUnless(caller, 'access.manage', { project_id });
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<null>> => {
    const principal = await tx.principal.findUnique({ where: { tenant_id_id: { tenant_id, id: principal_id } } });
    if (!principal || !(await projectExists(tx, tenant_id, project_id))) return unknownThing();
    const member = { tenant_id, project_id, principal_id };
    const { count } = await tx.projectMember.createMany({ data: [member], skipDuplicates: true });
    if (count > 0) {
      const details = { principal_id };
      await recordRightsChange(tx, caller, {
        action: 'project.add_member',
        subject: `project:${project_id}`,
        project_id,
        details,
      });
    }
    return done(null);
  });
}

export async function removeProjectMember(
  db: Database,
  caller: Caller,
  project_id: string,
  principal_id: string,
): Promise<Outcome<null>> {
  const refusal = refuseUnless(caller, 'access.manage', { project_id });
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<null>> => {
    const { count } = await tx.projectMember.deleteMany({ where: { tenant_id, project_id, principal_id } });
    if (count === 0) return unknownThing();
    const details = { principal_id };
    await recordRightsChange(tx, caller, {
      action: 'project.remove_member',
      subject: `project:${project_id}`,
      project_id,
      details,
    });
    return done(null);
  });
}

const projectAnswer = (row: Project): ProjectAnswer => ({
  id: row.id,
  name: row.name,
  created_at: row.created_at.toISOString(),
});

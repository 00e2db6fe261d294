import { z } from 'zod';
import { ANYONE, defineRoutes, HUMANS_ONLY } from './common/route.js';
import { idParamsSchema, idSchema, nameSchema, pageOf, pageQuerySchema, timestampSchema } from './common/primitives.js';

export const createProjectSchema = z
  .strictObject({ name: nameSchema.describe('Unique in the tenant.') })
  .meta({ id: 'CreateProject' });
export type CreateProject = z.infer<typeof createProjectSchema>;

export const updateProjectSchema = z.strictObject({ name: nameSchema }).meta({ id: 'UpdateProject' });
export type UpdateProject = z.infer<typeof updateProjectSchema>;

const projectShape = { id: idSchema, name: z.string(), created_at: timestampSchema };

export const projectSchema = z.object(projectShape).meta({ id: 'Project' });
export type Project = z.infer<typeof projectSchema>;

export const projectDetailSchema = z
  .object({ ...projectShape, members: z.array(idSchema).describe('Principal ids.') })
  .meta({ id: 'ProjectDetail' });
export type ProjectDetail = z.infer<typeof projectDetailSchema>;

export const projectPageSchema = pageOf(projectSchema, 'ProjectPage');
export const projectMemberParamsSchema = z.strictObject({ id: idSchema, principal_id: idSchema });

export const projectRoutes = defineRoutes({
  projects_create: {
    method: 'POST',
    path: '/v1/projects',
    summary: 'Create a project',
    requires: 'tenant.manage',
    refuses: HUMANS_ONLY,
    status: 201,
    body: createProjectSchema,
    response: projectSchema,
  },
  projects_list: {
    method: 'GET',
    path: '/v1/projects',
    summary: 'List projects: all of them for who manages the tenant, else those the caller is a member of',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    query: pageQuerySchema,
    response: projectPageSchema,
  },
  projects_get: {
    method: 'GET',
    path: '/v1/projects/:id',
    summary: 'Get a project and its members',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    params: idParamsSchema,
    response: projectDetailSchema,
  },
  projects_update: {
    method: 'PUT',
    path: '/v1/projects/:id',
    summary: 'Rename a project',
    requires: 'tenant.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    params: idParamsSchema,
    body: updateProjectSchema,
    response: projectSchema,
  },
  projects_delete: {
    method: 'DELETE',
    path: '/v1/projects/:id',
    summary: 'Delete a project that nothing was run in and no key or session is bound to',
    requires: 'tenant.manage',
    refuses: HUMANS_ONLY,
    status: 204,
    params: idParamsSchema,
  },
  projects_add_member: {
    method: 'PUT',
    path: '/v1/projects/:id/members/:principal_id',
    summary: 'Add a principal to a project',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 204,
    params: projectMemberParamsSchema,
  },
  projects_remove_member: {
    method: 'DELETE',
    path: '/v1/projects/:id/members/:principal_id',
    summary: 'Remove a principal from a project',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 204,
    params: projectMemberParamsSchema,
  },
});

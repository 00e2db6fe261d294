import { z } from 'zod';
import { ANYONE, defineRoutes, HUMANS_ONLY } from './common/route.js';
import { idParamsSchema, idSchema, pageOf, pageQuerySchema, timestampSchema } from './common/primitives.js';
import { grantSchema } from './grants.js';

export const roleNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,62}$/)
  .describe('Built-in names are taken.');

export const createRoleSchema = z
  .strictObject({ name: roleNameSchema, grants: z.array(grantSchema).min(1).max(200) })
  .meta({ id: 'CreateRole', description: 'Nobody defines a role wider than what they hold.' });
export type CreateRole = z.infer<typeof createRoleSchema>;

export const updateRoleSchema = z
  .strictObject({ grants: z.array(grantSchema).min(1).max(200) })
  .meta({ id: 'UpdateRole', description: 'Counts at once for everyone who has the role.' });
export type UpdateRole = z.infer<typeof updateRoleSchema>;

export const roleSchema = z
  .object({
    id: idSchema.nullable().describe('Null for a built-in role.'),
    name: z.string(),
    built_in: z.boolean(),
    grants: z.array(grantSchema),
  })
  .meta({ id: 'Role' });
export type Role = z.infer<typeof roleSchema>;

export const rolePageSchema = pageOf(roleSchema, 'RolePage');

export const assignRoleSchema = z
  .strictObject({ role: roleNameSchema, project_id: idSchema.optional().describe('Omitted: in the whole tenant.') })
  .meta({ id: 'AssignRole' });
export type AssignRole = z.infer<typeof assignRoleSchema>;

export const roleAssignmentSchema = z
  .object({ id: idSchema, role: z.string(), project_id: idSchema.nullable(), created_at: timestampSchema })
  .meta({ id: 'RoleAssignment' });
export type RoleAssignment = z.infer<typeof roleAssignmentSchema>;

export const roleAssignmentParamsSchema = z.strictObject({ id: idSchema, assignment_id: idSchema });

/** SPEC G2. */
export const roleRoutes = defineRoutes({
  roles_list: {
    method: 'GET',
    path: '/v1/roles',
    summary: 'List built-in and own roles',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    query: pageQuerySchema,
    response: rolePageSchema,
  },
  roles_create: {
    method: 'POST',
    path: '/v1/roles',
    summary: 'Define a role',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 201,
    body: createRoleSchema,
    response: roleSchema,
  },
  roles_update: {
    method: 'PUT',
    path: '/v1/roles/:id',
    summary: 'Change what a role gives',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    params: idParamsSchema,
    body: updateRoleSchema,
    response: roleSchema,
  },
  roles_delete: {
    method: 'DELETE',
    path: '/v1/roles/:id',
    summary: 'Delete a role and its assignments',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 204,
    params: idParamsSchema,
  },
  members_assign_role: {
    method: 'POST',
    path: '/v1/members/:id/roles',
    summary: 'Assign a role to a principal',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 201,
    params: idParamsSchema,
    body: assignRoleSchema,
    response: roleAssignmentSchema,
  },
  members_unassign_role: {
    method: 'DELETE',
    path: '/v1/members/:id/roles/:assignment_id',
    summary: 'Take a role away from a principal',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 204,
    params: roleAssignmentParamsSchema,
  },
});

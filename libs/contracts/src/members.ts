import { z } from 'zod';
import { defineRoutes, HUMANS_ONLY } from './common/route.js';
import { idParamsSchema, idSchema, pageOf, pageQuery, searchSchema } from './common/primitives.js';
import { principalKindSchema } from './auth.js';
import { roleAssignmentSchema } from './roles.js';

/** A principal of the tenant, of any kind (SPEC T2). */
export const memberSchema = z
  .object({
    id: idSchema.describe('Principal id.'),
    kind: principalKindSchema,
    name: z.string(),
    email: z.string().optional().describe('Humans only.'),
    acts_for: idSchema.nullable(),
    disabled: z.boolean(),
    roles: z.array(roleAssignmentSchema),
    projects: z.array(idSchema).describe('Those it is a member of.'),
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof memberSchema>;

export const memberPageSchema = pageOf(memberSchema, 'MemberPage');
export const listMembersQuerySchema = z.strictObject({
  kind: principalKindSchema.optional(),
  search: searchSchema.optional().describe('In names and email addresses, without regard to case.'),
  ...pageQuery,
});
export type ListMembersQuery = z.infer<typeof listMembersQuerySchema>;

export const memberRoutes = defineRoutes({
  members_list: {
    method: 'GET',
    path: '/v1/members',
    summary: 'List principals of every kind',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    query: listMembersQuerySchema,
    response: memberPageSchema,
  },
  members_get: {
    method: 'GET',
    path: '/v1/members/:id',
    summary: 'Get a principal of any kind',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    params: idParamsSchema,
    response: memberSchema,
  },
  members_disable: {
    method: 'POST',
    path: '/v1/members/:id/disable',
    summary: 'Stop a principal at once: its sessions, keys, queued and running runs, and whoever acts for it',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 204,
    params: idParamsSchema,
  },
  members_enable: {
    method: 'POST',
    path: '/v1/members/:id/enable',
    summary: 'Let a disabled principal go on; you must hold all that it holds',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 204,
    params: idParamsSchema,
  },
  members_delete: {
    method: 'DELETE',
    path: '/v1/members/:id',
    summary: 'Remove a principal: disabled, without rights, memberships, keys and sessions',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 204,
    params: idParamsSchema,
  },
});

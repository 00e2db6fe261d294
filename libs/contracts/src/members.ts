import { z } from 'zod';
import { defineRoutes, HUMANS_ONLY } from './common/route.js';
import { idSchema, pageOf, pageQuerySchema } from './common/primitives.js';
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
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof memberSchema>;

export const memberPageSchema = pageOf(memberSchema, 'MemberPage');

export const memberRoutes = defineRoutes({
  members_list: {
    method: 'GET',
    path: '/v1/members',
    summary: 'List principals of every kind',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    query: pageQuerySchema,
    response: memberPageSchema,
  },
});

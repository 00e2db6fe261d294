import { CAPABILITIES, grantSchema as coreGrantSchema } from '@hcp/core';
import { z } from 'zod';
import { defineRoutes, HUMANS_ONLY } from './common/route.js';
import { idParamsSchema, idSchema, pageOf, pageQuery, timestampSchema } from './common/primitives.js';

/** SPEC G1: core's own schema, with a name for the API's document. */
export const grantSchema = coreGrantSchema.meta({
  id: 'Grant',
  description: 'A right to one capability. What is omitted is not narrowed: any pack, every command, the whole tenant.',
});

const grantShape = coreGrantSchema.shape;

export const createGrantSchema = z
  .strictObject({ principal_id: idSchema, ...grantShape })
  .meta({ id: 'CreateGrant', description: 'Nobody grants more than they hold.' });
export type CreateGrant = z.infer<typeof createGrantSchema>;

export const grantRecordSchema = z
  .object({
    id: idSchema,
    principal_id: idSchema,
    ...grantShape,
    created_by: idSchema.nullable(),
    created_at: timestampSchema,
  })
  .meta({ id: 'GrantRecord' });
export type GrantRecord = z.infer<typeof grantRecordSchema>;

export const grantPageSchema = pageOf(grantRecordSchema, 'GrantPage');
export const listGrantsQuerySchema = z.strictObject({
  principal_id: idSchema.optional(),
  capability: z.enum(CAPABILITIES).optional(),
  ...pageQuery,
});
export type ListGrantsQuery = z.infer<typeof listGrantsQuerySchema>;

export const grantRoutes = defineRoutes({
  grants_list: {
    method: 'GET',
    path: '/v1/grants',
    summary: 'List grants',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    query: listGrantsQuerySchema,
    response: grantPageSchema,
  },
  grants_create: {
    method: 'POST',
    path: '/v1/grants',
    summary: 'Grant a capability to a principal',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 201,
    body: createGrantSchema,
    response: grantRecordSchema,
  },
  grants_delete: {
    method: 'DELETE',
    path: '/v1/grants/:id',
    summary: 'Take a grant away',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 204,
    params: idParamsSchema,
  },
});

import { z } from 'zod';
import { defineRoutes, HUMANS_ONLY } from './common/route.js';
import { idParamsSchema, idSchema, nameSchema, pageOf, pageQuery, timestampSchema } from './common/primitives.js';
import { grantSchema } from './grants.js';

/** `hcp_<id>_<secret>` (SPEC T5). */
export const API_KEY = /^hcp_[A-Za-z0-9-]{1,64}_[A-Za-z0-9_-]{20,128}$/;

export const createApiKeySchema = z
  .strictObject({
    name: nameSchema,
    principal_id: idSchema.optional().describe('Owner of the key; the caller by default.'),
    project_id: idSchema.optional().describe('The only project the key reaches.'),
    grants: z.array(grantSchema).max(200).optional().describe('Narrows the owner’s; omitted: as wide as the owner.'),
    expires_at: timestampSchema.optional(),
  })
  .meta({ id: 'CreateApiKey' });
export type CreateApiKey = z.infer<typeof createApiKeySchema>;

const apiKeyShape = {
  id: idSchema,
  name: z.string(),
  principal_id: idSchema,
  principal_name: z.string().nullable().describe('Null where the owner is gone.'),
  project_id: idSchema.nullable(),
  grants: z.array(grantSchema).nullable(),
  expires_at: timestampSchema.nullable(),
  revoked_at: timestampSchema.nullable(),
  created_at: timestampSchema,
};

export const apiKeySchema = z.object(apiKeyShape).meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof apiKeySchema>;

export const createdApiKeySchema = z
  .object({ ...apiKeyShape, key: z.string().describe('Shown once; only its hash is stored.') })
  .meta({ id: 'CreatedApiKey' });
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;

export const apiKeyPageSchema = pageOf(apiKeySchema, 'ApiKeyPage');
export const listApiKeysQuerySchema = z.strictObject({
  principal_id: idSchema.optional().describe('Of this owner alone.'),
  ...pageQuery,
});
export type ListApiKeysQuery = z.infer<typeof listApiKeysQuerySchema>;

export const apiKeyRoutes = defineRoutes({
  api_keys_create: {
    method: 'POST',
    path: '/v1/api-keys',
    summary: 'Create an API key, for oneself or (with access.manage) for another principal',
    requires: 'authenticated',
    refuses: HUMANS_ONLY,
    status: 201,
    body: createApiKeySchema,
    response: createdApiKeySchema,
  },
  api_keys_list: {
    method: 'GET',
    path: '/v1/api-keys',
    summary: 'List API keys: own ones, or all with access.manage',
    requires: 'authenticated',
    refuses: HUMANS_ONLY,
    status: 200,
    query: listApiKeysQuerySchema,
    response: apiKeyPageSchema,
  },
  api_keys_delete: {
    method: 'DELETE',
    path: '/v1/api-keys/:id',
    summary: 'Revoke an API key',
    requires: 'authenticated',
    refuses: HUMANS_ONLY,
    status: 204,
    params: idParamsSchema,
  },
});

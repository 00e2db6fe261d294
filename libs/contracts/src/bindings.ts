import { FAMILIES } from '@hcp/core';
import { z } from 'zod';
import { idParamsSchema, idSchema, packIdSchema, pageOf, pageQuery, timestampSchema } from './common/primitives.js';
import { ANYONE, defineRoutes, NO_AGENTS } from './common/route.js';

const fieldsSchema = z
  .record(z.string(), z.string())
  .describe('The secret, by the field names of the pack’s `binding.env`. Never answered by any route.');

export const BINDING_KINDS = ['secret', 'workload_token', 'oauth2_code', 'oauth2_client_credentials'] as const;

const expiresSchema = timestampSchema.optional().describe('When the credential ends; omitted: never.');

export const createBindingSchema = z
  .strictObject({
    pack_id: packIdSchema,
    family: z.enum(FAMILIES).describe('`user`; `mothership` in the platform’s tenant alone. The others have none.'),
    kind: z
      .enum(['secret', 'workload_token', 'oauth2_client_credentials'])
      .describe(
        '`workload_token`: nothing is stored, each run is lent a token signed for it. `oauth2_client_credentials`: the own account of the tenant’s OAuth client; takes binding.manage. By OAuth for a person: POST /v1/bindings/connect.',
      ),
    fields: fieldsSchema.optional().describe('For `secret`, by the field names that the pack asks for.'),
    audience: z
      .string()
      .regex(/^[!-~]{1,512}$/, 'must be printable ASCII without spaces')
      .optional()
      .describe('For `workload_token`: `aud` of its tokens, as the service expects it.'),
    project_id: idSchema.optional().describe('The only project it serves; omitted: all.'),
    shared: z
      .boolean()
      .optional()
      .describe('True: for everyone in the project or tenant, with binding.manage. Otherwise the caller’s own.'),
    expires_at: expiresSchema,
  })
  .meta({ id: 'CreateBinding' });
export type CreateBinding = z.infer<typeof createBindingSchema>;

export const rotateBindingSchema = z
  .strictObject({
    fields: fieldsSchema.optional().describe('For `secret`: every field anew. Otherwise a new token is asked for.'),
    expires_at: expiresSchema,
  })
  .meta({ id: 'RotateBinding' });
export type RotateBinding = z.infer<typeof rotateBindingSchema>;

export const bindingSchema = z
  .object({
    id: idSchema,
    pack_id: packIdSchema,
    family: z.enum(FAMILIES),
    kind: z.enum(BINDING_KINDS),
    principal_id: idSchema.nullable().describe('Whose it is; null: shared.'),
    project_id: idSchema.nullable().describe('The only project it serves; null: all.'),
    fields: z.array(z.string()).describe('Names only.'),
    version: z.number().int().describe('Grows with each rotation and reconnection, and with no refresh of a token.'),
    state: z.enum(['active', 'expired', 'stale', 'revoked']),
    stale_reason: z
      .enum(['expired', 'refused', 'client_refused', 'client_removed'])
      .nullable()
      .describe('Why it is good for nothing until it is connected anew.'),
    account: z.string().nullable().describe('The provider’s own name for the account.'),
    account_name: z.string().nullable().describe('One that people know, such as an email address.'),
    scopes: z.array(z.string()).describe('What the provider granted.'),
    expires_at: timestampSchema.nullable(),
    token_expires_at: timestampSchema.nullable().describe('When the token in hand ends; it is renewed before.'),
    revoked_at: timestampSchema.nullable(),
    created_by: idSchema,
    created_at: timestampSchema,
    rotated_by: idSchema.describe('Who gave the fields of this version.'),
    rotated_at: timestampSchema,
  })
  .meta({ id: 'Binding', description: 'A stored credential. Its values cannot be read back.' });
export type Binding = z.infer<typeof bindingSchema>;

export const bindingPageSchema = pageOf(bindingSchema, 'BindingPage');

export const listBindingsQuerySchema = z.strictObject({
  pack_id: packIdSchema.optional(),
  stale: z
    .enum(['0', '1'])
    .optional()
    .describe('1: only what a person has to connect again, because it is stale or ran out.'),
  ...pageQuery,
});
export type ListBindingsQuery = z.infer<typeof listBindingsQuerySchema>;

/** A DELETE carries no body, so the choice is a query parameter. */
export const revokeBindingQuerySchema = z.strictObject({
  forget: z
    .enum(['0', '1'])
    .optional()
    .describe(
      '1: runs may use the next wider binding from now on. Otherwise they are refused until it is connected anew.',
    ),
});
export type RevokeBindingQuery = z.infer<typeof revokeBindingQuerySchema>;

export const connectBindingSchema = z
  .strictObject({
    pack_id: packIdSchema,
    family: z.enum(FAMILIES).optional().describe('What the pack’s commands run with by default.'),
    project_id: idSchema.optional().describe('The only project it serves; omitted: all.'),
    shared: z.boolean().optional().describe('True: for everyone in the project or tenant, with binding.manage.'),
    return_to: z
      .literal('dashboard')
      .optional()
      .describe(
        'Where the browser ends: in the dashboard of this address. Omitted: at a page that says what came of it.',
      ),
  })
  .meta({ id: 'ConnectBinding' });
export type ConnectBinding = z.infer<typeof connectBindingSchema>;

export const connectStartedSchema = z
  .object({
    connection_id: idSchema,
    authorize_url: z.string().describe('For the browser of the person who asked. Good once, and only until it ends.'),
    code: z.string().describe('The page that opens shows the same one.'),
    expires_at: timestampSchema,
  })
  .meta({ id: 'ConnectStarted' });
export type ConnectStarted = z.infer<typeof connectStartedSchema>;

export const connectionSchema = z
  .object({
    id: idSchema,
    pack_id: packIdSchema,
    provider: z.string(),
    status: z.enum(['pending', 'started', 'connected', 'failed', 'expired']),
    reason: z.string().nullable().describe('Why it failed.'),
    binding_id: idSchema.nullable(),
    expires_at: timestampSchema,
  })
  .meta({ id: 'Connection', description: 'A person on the way to a provider and back.' });
export type Connection = z.infer<typeof connectionSchema>;

/** What a browser brings. Anything else is the provider's and of no use here. */
export const connectPageQuerySchema = z.strictObject({
  ticket: z.string().max(128).optional(),
  go: z.literal('1').optional(),
});
export type ConnectPageQuery = z.infer<typeof connectPageQuerySchema>;

/** SPEC B1-B3, B6. Which bindings a caller manages is the use case's to decide: own ones, or those of a scope. */
export const bindingRoutes = defineRoutes({
  bindings_list: {
    method: 'GET',
    path: '/v1/bindings',
    summary: 'List own bindings, and with binding.manage the shared ones',
    requires: 'authenticated',
    refuses: NO_AGENTS,
    status: 200,
    query: listBindingsQuerySchema,
    response: bindingPageSchema,
  },
  bindings_create: {
    method: 'POST',
    path: '/v1/bindings',
    summary: 'Store a credential for a pack: one’s own with pack.connect, a shared one with binding.manage',
    requires: 'authenticated',
    refuses: NO_AGENTS,
    status: 201,
    body: createBindingSchema,
    response: bindingSchema,
  },
  bindings_get: {
    method: 'GET',
    path: '/v1/bindings/:id',
    summary: 'Get a binding: one’s own, or with binding.manage a shared one',
    requires: 'authenticated',
    refuses: NO_AGENTS,
    status: 200,
    params: idParamsSchema,
    response: bindingSchema,
  },
  bindings_rotate: {
    method: 'POST',
    path: '/v1/bindings/:id/rotate',
    summary: 'Replace the credential of a binding',
    requires: 'authenticated',
    refuses: NO_AGENTS,
    status: 200,
    params: idParamsSchema,
    body: rotateBindingSchema,
    response: bindingSchema,
  },
  bindings_revoke: {
    method: 'DELETE',
    path: '/v1/bindings/:id',
    summary: 'Erase the credential of a binding: runs that have not begun are refused',
    requires: 'authenticated',
    refuses: NO_AGENTS,
    status: 204,
    params: idParamsSchema,
    query: revokeBindingQuerySchema,
  },
  bindings_connect: {
    method: 'POST',
    path: '/v1/bindings/connect',
    summary: 'Begin to connect an account by OAuth: one’s own with pack.connect, a shared one with binding.manage',
    requires: 'authenticated',
    refuses: NO_AGENTS,
    status: 201,
    body: connectBindingSchema,
    response: connectStartedSchema,
  },
  connections_get: {
    method: 'GET',
    path: '/v1/connections/:id',
    summary: 'See how far a connection has come',
    requires: 'authenticated',
    refuses: NO_AGENTS,
    status: 200,
    params: idParamsSchema,
    response: connectionSchema,
  },
  connections_start: {
    method: 'GET',
    path: '/v1/connections/:id/start',
    summary: 'The page that leads a browser to the provider',
    requires: 'public',
    refuses: ANYONE,
    status: 200,
    params: idParamsSchema,
    query: connectPageQuerySchema,
    response: 'page',
  },
  bindings_callback: {
    method: 'GET',
    path: '/v1/bindings/callback',
    summary: 'Where the provider sends the browser back to',
    requires: 'public',
    refuses: ANYONE,
    status: 200,
    response: 'page',
  },
});

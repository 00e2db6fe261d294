import { FAMILIES } from '@hcp/core';
import { z } from 'zod';
import { idParamsSchema, idSchema, packIdSchema, pageOf, pageQuery, timestampSchema } from './common/primitives.js';
import { defineRoutes, NO_AGENTS } from './common/route.js';

const fieldsSchema = z
  .record(z.string(), z.string())
  .describe('The secret, by the field names of the pack’s `binding.env`. Never answered by any route.');

export const BINDING_KINDS = ['secret', 'workload_token'] as const;

const expiresSchema = timestampSchema.optional().describe('When the credential ends; omitted: never.');

export const createBindingSchema = z
  .strictObject({
    pack_id: packIdSchema,
    family: z.enum(FAMILIES).describe('`user`; `mothership` in the platform’s tenant alone. The others have none.'),
    kind: z
      .enum(BINDING_KINDS)
      .describe('`workload_token`: nothing is stored, each run is lent a token signed for it.'),
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
  .strictObject({ fields: fieldsSchema, expires_at: expiresSchema })
  .meta({ id: 'RotateBinding', description: 'Every field anew.' });
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
    version: z.number().int().describe('Grows with each rotation.'),
    state: z.enum(['active', 'expired', 'revoked']),
    expires_at: timestampSchema.nullable(),
    revoked_at: timestampSchema.nullable(),
    created_by: idSchema,
    created_at: timestampSchema,
    rotated_by: idSchema.describe('Who gave the fields of this version.'),
    rotated_at: timestampSchema,
  })
  .meta({ id: 'Binding', description: 'A stored credential. Its values cannot be read back.' });
export type Binding = z.infer<typeof bindingSchema>;

export const bindingPageSchema = pageOf(bindingSchema, 'BindingPage');

export const listBindingsQuerySchema = z.strictObject({ pack_id: packIdSchema.optional(), ...pageQuery });
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
});

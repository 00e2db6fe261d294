import { z } from 'zod';
import { defineRoutes, HUMANS_ONLY } from './common/route.js';
import { idParamsSchema, idSchema, lineSchema, pageOf, pageQuerySchema, timestampSchema } from './common/primitives.js';

/** Compared byte by byte with what a provider says of itself, so nothing is normalised. */
const addressSchema = z
  .string()
  .max(500)
  .regex(/^https?:\/\/[^\s#@]+$/, 'must be an https URL without user and fragment');

export const tokenAuthMethodSchema = z.enum(['client_secret_basic', 'client_secret_post', 'none']);
export const oauthGrantTypeSchema = z.enum(['authorization_code', 'client_credentials']);

/** RFC 6749, appendix A.4. */
const scopeSchema = z
  .string()
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'must be one scope without blanks and quotes');

const secretSchema = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^[\x20-\x7e]+$/, 'must be visible ASCII')
  .describe('Never answered by any route.');

const scopesSchema = z
  .array(scopeSchema)
  .max(50)
  .describe('What is asked for; `offline_access` where the service wants it.');
const grantsSchema = z
  .array(oauthGrantTypeSchema)
  .min(1)
  .max(2)
  .describe('What it may be used for; `authorization_code` alone by default.');

export const createProviderClientSchema = z
  .strictObject({
    provider: lineSchema.min(1).max(100).describe('As `binding.provider` of the packs’ manifests names it.'),
    issuer: addressSchema.optional().describe('Its endpoints are found beneath; without it they are given.'),
    authorization_endpoint: addressSchema.optional(),
    token_endpoint: addressSchema.optional(),
    revocation_endpoint: addressSchema.optional(),
    userinfo_endpoint: addressSchema.optional(),
    client_id: lineSchema.min(1).max(500),
    client_secret: secretSchema.optional(),
    token_endpoint_auth_method: tokenAuthMethodSchema
      .optional()
      .describe('`client_secret_basic` with a secret, `none` without, by default.'),
    scopes: scopesSchema.optional(),
    grant_types: grantsSchema.optional(),
  })
  .meta({
    id: 'CreateProviderClient',
    description: 'One for each provider. The issuer, or its endpoints, stay as they are.',
  });
export type CreateProviderClient = z.infer<typeof createProviderClientSchema>;

export const updateProviderClientSchema = z
  .strictObject({
    client_secret: secretSchema.optional(),
    scopes: scopesSchema.optional(),
    grant_types: grantsSchema.optional(),
  })
  .meta({
    id: 'UpdateProviderClient',
    description: 'What is omitted stays. Scopes count for connections made from now on.',
  });
export type UpdateProviderClient = z.infer<typeof updateProviderClientSchema>;

export const providerClientSchema = z
  .object({
    id: idSchema,
    provider: z.string(),
    issuer: z.string().nullable(),
    authorization_endpoint: z.string().nullable(),
    token_endpoint: z.string().nullable(),
    revocation_endpoint: z.string().nullable(),
    userinfo_endpoint: z.string().nullable(),
    client_id: z.string(),
    token_endpoint_auth_method: tokenAuthMethodSchema,
    scopes: z.array(z.string()),
    grant_types: z.array(oauthGrantTypeSchema),
    redirect_uri: z.string().describe('What the service has to be told that it may send people back to.'),
    created_by: idSchema,
    created_at: timestampSchema,
    updated_at: timestampSchema,
  })
  .meta({
    id: 'ProviderClient',
    description: 'This installation as a client of a service. Its secret cannot be read back.',
  });
export type ProviderClient = z.infer<typeof providerClientSchema>;

export const providerClientPageSchema = pageOf(providerClientSchema, 'ProviderClientPage')
  .extend({
    redirect_uri: z.string().describe('What each service has to be told, before its client is registered here.'),
  })
  .meta({ id: 'ProviderClientPage' });
export type ProviderClientPage = z.infer<typeof providerClientPageSchema>;

/** SPEC B2, P5. In the platform's tenant they are for every tenant, and an operator's alone. */
export const providerClientRoutes = defineRoutes({
  providers_create: {
    method: 'POST',
    path: '/v1/providers',
    summary: 'Register this installation’s OAuth client of a service that packs connect to',
    requires: 'tenant.manage',
    refuses: HUMANS_ONLY,
    status: 201,
    body: createProviderClientSchema,
    response: providerClientSchema,
  },
  providers_list: {
    method: 'GET',
    path: '/v1/providers',
    summary: 'List OAuth clients',
    requires: 'tenant.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    query: pageQuerySchema,
    response: providerClientPageSchema,
  },
  providers_get: {
    method: 'GET',
    path: '/v1/providers/:id',
    summary: 'Get an OAuth client',
    requires: 'tenant.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    params: idParamsSchema,
    response: providerClientSchema,
  },
  providers_update: {
    method: 'PUT',
    path: '/v1/providers/:id',
    summary: 'Change the secret or the scopes of an OAuth client',
    requires: 'tenant.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    params: idParamsSchema,
    body: updateProviderClientSchema,
    response: providerClientSchema,
  },
  providers_delete: {
    method: 'DELETE',
    path: '/v1/providers/:id',
    summary: 'Remove an OAuth client: what was connected through it has to be connected anew',
    requires: 'tenant.manage',
    refuses: HUMANS_ONLY,
    status: 204,
    params: idParamsSchema,
  },
});

import { z } from 'zod';
import { defineRoutes, HUMANS_ONLY } from './common/route.js';
import { idParamsSchema, idSchema, lineSchema, pageOf, pageQuerySchema, timestampSchema } from './common/primitives.js';
import { principalKindSchema } from './auth.js';
import { roleNameSchema } from './roles.js';

/** What a token may be signed with; never HMAC, never nothing (SPEC T5). */
export const oidcAlgorithmSchema = z.enum(['RS256', 'ES256', 'EdDSA']);

const claimSchema = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_:/.-]{0,127}$/)
  .describe('Name of a claim at the top of the token.');

/** An issuer is compared byte by byte with `iss`, so nothing is normalised. */
const issuerSchema = z
  .string()
  .max(500)
  .regex(/^https?:\/\/[^\s?#@]+$/, 'must be an https URL without user, query and fragment')
  .describe('`iss` of its tokens; its discovery document lies beneath.');

/** What may change; issuer and audience stay. */
const settings = {
  algorithms: z.array(oidcAlgorithmSchema).min(1).max(3).optional().describe('All three by default.'),
  email_claim: claimSchema.nullable().optional().describe('Shown with the principal; never used to find anybody.'),
  jit: z.boolean().optional().describe('Make a principal when a subject first comes. Off by default.'),
  jit_role: roleNameSchema
    .nullable()
    .optional()
    .describe('Role of principals made so. You must hold all that it gives; without it they may do nothing.'),
  interactive: z
    .boolean()
    .optional()
    .describe('Its tokens prove that a person sits there. Off by default; only who holds all of an owner sets it.'),
};

export const createOidcIssuerSchema = z
  .strictObject({
    issuer: issuerSchema,
    audience: lineSchema
      .min(1)
      .max(300)
      .optional()
      .describe('`urn:hcp:tenant:<tenant id>` by default, which no other tenant can take.'),
    kind: principalKindSchema.optional().describe('What its subjects are; `human` by default.'),
    subject_claim: claimSchema.optional().describe('Names the subject; `sub` by default. It must never be given anew.'),
    ...settings,
  })
  .meta({ id: 'CreateOidcIssuer', description: 'A pair of issuer and audience belongs to one tenant of all.' });
export type CreateOidcIssuer = z.infer<typeof createOidcIssuerSchema>;

export const updateOidcIssuerSchema = z.strictObject(settings).meta({ id: 'UpdateOidcIssuer' });
export type UpdateOidcIssuer = z.infer<typeof updateOidcIssuerSchema>;

export const oidcIssuerSchema = z
  .object({
    id: idSchema,
    issuer: z.string(),
    audience: z.string(),
    algorithms: z.array(oidcAlgorithmSchema),
    kind: principalKindSchema,
    subject_claim: z.string(),
    email_claim: z.string().nullable(),
    jit: z.boolean(),
    jit_role: z.string().nullable(),
    interactive: z.boolean(),
    created_by: idSchema,
    created_at: timestampSchema,
  })
  .meta({ id: 'OidcIssuer' });
export type OidcIssuer = z.infer<typeof oidcIssuerSchema>;

export const oidcIssuerPageSchema = pageOf(oidcIssuerSchema, 'OidcIssuerPage');

export const linkIdentitySchema = z
  .strictObject({
    subject: lineSchema.min(1).max(255),
    principal_id: idSchema.optional().describe('Yourself by default; else an agent or service, never another person.'),
  })
  .meta({ id: 'LinkIdentity', description: 'Tokens of this subject count as this principal from now on.' });
export type LinkIdentity = z.infer<typeof linkIdentitySchema>;

/** SPEC T5. */
export const oidcIssuerRoutes = defineRoutes({
  oidc_issuers_create: {
    method: 'POST',
    path: '/v1/oidc-issuers',
    summary: 'Take the tokens of an identity provider',
    requires: 'tenant.manage',
    refuses: HUMANS_ONLY,
    status: 201,
    body: createOidcIssuerSchema,
    response: oidcIssuerSchema,
  },
  oidc_issuers_list: {
    method: 'GET',
    path: '/v1/oidc-issuers',
    summary: 'List identity providers',
    requires: 'tenant.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    query: pageQuerySchema,
    response: oidcIssuerPageSchema,
  },
  oidc_issuers_get: {
    method: 'GET',
    path: '/v1/oidc-issuers/:id',
    summary: 'Get an identity provider',
    requires: 'tenant.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    params: idParamsSchema,
    response: oidcIssuerSchema,
  },
  oidc_issuers_update: {
    method: 'PUT',
    path: '/v1/oidc-issuers/:id',
    summary: 'Change how an identity provider is used; what is omitted stays',
    requires: 'tenant.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    params: idParamsSchema,
    body: updateOidcIssuerSchema,
    response: oidcIssuerSchema,
  },
  oidc_issuers_delete: {
    method: 'DELETE',
    path: '/v1/oidc-issuers/:id',
    summary: 'Refuse its tokens from the next call on, and end their sessions',
    requires: 'tenant.manage',
    refuses: HUMANS_ONLY,
    status: 204,
    params: idParamsSchema,
  },
  oidc_issuers_link: {
    method: 'POST',
    path: '/v1/oidc-issuers/:id/identities',
    summary: 'Say which principal a subject is',
    requires: 'tenant.manage',
    refuses: HUMANS_ONLY,
    status: 204,
    params: idParamsSchema,
    body: linkIdentitySchema,
  },
});

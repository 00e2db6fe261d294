import { z } from 'zod';
import { ANYONE, defineRoutes } from './common/route.js';
import { idSchema, lineSchema, packIdSchema, timestampSchema } from './common/primitives.js';
import { grantSchema } from './grants.js';

export const emailSchema = lineSchema
  .trim()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an email address')
  .describe('Compared without regard to case.');

/** Of a new password; what is long enough to be a sentence needs no further rules. */
export const newPasswordSchema = z.string().min(12).max(1024);

export const signInSchema = z
  .strictObject({
    email: lineSchema.trim().min(3).max(254).describe('Compared without regard to case.'),
    password: z.string().min(1).max(1024),
    tenant_id: idSchema.optional().describe('Needed where the person belongs to several tenants.'),
  })
  .meta({ id: 'SignIn' });
export type SignIn = z.infer<typeof signInSchema>;

const refreshTokenSchema = z.string().min(1).max(512);

export const refreshSchema = z
  .strictObject({ refresh_token: refreshTokenSchema.describe('Single use: the answer carries its successor.') })
  .meta({ id: 'Refresh' });
export type Refresh = z.infer<typeof refreshSchema>;

export const tokensSchema = z
  .object({
    access_token: z.string().min(1),
    refresh_token: refreshTokenSchema,
    expires_in: z.number().int().positive().describe('Seconds until the access token ends.'),
    token_type: z.literal('Bearer'),
    tenant_id: idSchema,
  })
  .meta({ id: 'Tokens' });
export type Tokens = z.infer<typeof tokensSchema>;

export const principalKindSchema = z.enum(['human', 'agent', 'service']);

export const meSchema = z
  .object({
    principal: z.object({
      id: idSchema,
      kind: principalKindSchema,
      name: z.string(),
      email: z.string().optional().describe('With what a person signs in with a password; told to themselves alone.'),
    }),
    acts_for: idSchema.nullable().describe('The human this agent or service acts for.'),
    tenant: z.object({ id: idSchema, name: z.string(), slug: z.string() }),
    session: z.object({
      id: idSchema,
      interactive: z.boolean().describe('A person signed in: only here may confirm be a person’s yes.'),
      project_id: idSchema.nullable(),
      packs: z.array(packIdSchema).nullable().describe('Null: every active pack.'),
      expires_at: timestampSchema.nullable(),
    }),
    grants: z
      .array(z.array(grantSchema))
      .describe('Layers of grants; a thing is allowed only where every layer allows it.'),
    roles: z.array(z.string()),
    is_agent: z.boolean(),
  })
  .meta({ id: 'Me' });
export type Me = z.infer<typeof meSchema>;

export const jwksSchema = z
  .object({
    keys: z.array(z.looseObject({ kty: z.string(), kid: z.string(), alg: z.string(), use: z.literal('sig') })),
  })
  .meta({ id: 'Jwks' });
export type Jwks = z.infer<typeof jwksSchema>;

export const requestResetSchema = z.strictObject({ email: emailSchema }).meta({ id: 'RequestReset' });
export type RequestReset = z.infer<typeof requestResetSchema>;

export const confirmResetSchema = z
  .strictObject({ token: z.string().min(1).max(200), password: newPasswordSchema })
  .meta({ id: 'ConfirmReset', description: 'Ends every session that the old password opened.' });
export type ConfirmReset = z.infer<typeof confirmResetSchema>;

/**
 * `1` says that a page of this site calls: with the dashboard's cookies, everything that changes something needs it (SPEC
 * T5). Where `Authorization` is given, it says nothing.
 */
export const BROWSER_HEADER = 'hcp-csrf';

/** What a page may know of its session; the tokens themselves are in cookies that no script reads. */
export const browserSessionSchema = z
  .object({
    tenant_id: idSchema,
    expires_in: z.number().int().positive().describe('Seconds until it has to be renewed.'),
    session_expires_at: timestampSchema.describe('When it ends for good.'),
  })
  .meta({ id: 'BrowserSession' });
export type BrowserSession = z.infer<typeof browserSessionSchema>;

/** SPEC T5. */
export const authRoutes = defineRoutes({
  auth_reset: {
    method: 'POST',
    path: '/v1/auth/reset',
    summary: 'Ask for a link to set a new password; the answer is the same whether the person exists',
    requires: 'public',
    refuses: ANYONE,
    status: 204,
    body: requestResetSchema,
  },
  auth_reset_confirm: {
    method: 'POST',
    path: '/v1/auth/reset/confirm',
    summary: 'Set a new password with the token of that link',
    requires: 'public',
    refuses: ANYONE,
    status: 204,
    body: confirmResetSchema,
  },
  auth_token: {
    method: 'POST',
    path: '/v1/auth/token',
    summary: 'Sign in with email and password',
    requires: 'public',
    refuses: ANYONE,
    status: 200,
    body: signInSchema,
    response: tokensSchema,
  },
  auth_refresh: {
    method: 'POST',
    path: '/v1/auth/refresh',
    summary: 'Exchange a refresh token for new tokens',
    requires: 'public',
    refuses: ANYONE,
    status: 200,
    body: refreshSchema,
    response: tokensSchema,
  },
  auth_browser_sign_in: {
    method: 'POST',
    path: '/v1/auth/browser/sign-in',
    summary: 'Sign in for a page of this site: the tokens go into httpOnly cookies',
    requires: 'public',
    refuses: ANYONE,
    status: 200,
    body: signInSchema,
    response: browserSessionSchema,
  },
  auth_browser_renew: {
    method: 'POST',
    path: '/v1/auth/browser/renew',
    summary: 'Exchange the tokens in the cookies for new ones; one at a time',
    requires: 'public',
    refuses: ANYONE,
    status: 200,
    response: browserSessionSchema,
  },
  auth_browser_sign_out: {
    method: 'POST',
    path: '/v1/auth/browser/sign-out',
    summary: 'End the session of the cookies and remove them',
    requires: 'public',
    refuses: ANYONE,
    status: 204,
  },
  auth_logout: {
    method: 'POST',
    path: '/v1/auth/logout',
    summary: 'End this session and its refresh tokens',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 204,
  },
  me: {
    method: 'GET',
    path: '/v1/me',
    summary: 'Who the caller is and what it may do',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    response: meSchema,
  },
  jwks: {
    method: 'GET',
    path: '/.well-known/jwks.json',
    summary: 'Public keys that access tokens are signed with',
    requires: 'public',
    refuses: ANYONE,
    status: 200,
    response: jwksSchema,
  },
});

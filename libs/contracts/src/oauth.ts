import { z } from 'zod';
import { ANYONE, defineRoutes } from './common/route.js';
import { MCP_RESOURCE_METADATA_PATH, mcpRoutes } from './mcp.js';

/** Where MCP clients call; the resource that their tokens are good for, and no other (SPEC I2). */
export const MCP_PATH = mcpRoutes.mcp.path;
/** What a person grants an MCP client, as the one scope that there is. */
export const MCP_SCOPE = 'mcp';
export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** RFC 6749 and those that build on it. `error` is for programs, `error_description` for people. */
export const oauthErrorSchema = z
  .object({ error: z.string(), error_description: z.string().optional() })
  .meta({ id: 'OAuthError', description: 'RFC 6749 section 5.2.' });
export type OAuthError = z.infer<typeof oauthErrorSchema>;

export const authorizationServerSchema = z
  .object({
    issuer: z.url(),
    authorization_endpoint: z.url(),
    token_endpoint: z.url(),
    registration_endpoint: z.url(),
    revocation_endpoint: z.url(),
    jwks_uri: z.url(),
    scopes_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    response_modes_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    revocation_endpoint_auth_methods_supported: z.array(z.string()),
    code_challenge_methods_supported: z.array(z.string()),
    authorization_response_iss_parameter_supported: z.boolean(),
    client_id_metadata_document_supported: z.boolean(),
  })
  .meta({ id: 'AuthorizationServer', description: 'RFC 8414.' });
export type AuthorizationServer = z.infer<typeof authorizationServerSchema>;

export const protectedResourceSchema = z
  .object({
    resource: z.url(),
    authorization_servers: z.array(z.url()),
    bearer_methods_supported: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    resource_name: z.string(),
  })
  .meta({ id: 'ProtectedResource', description: 'RFC 9728.' });
export type ProtectedResource = z.infer<typeof protectedResourceSchema>;

/** What a client says about itself; what is not named here is ignored, as RFC 7591 has it. */
export const registerClientSchema = z
  .object({
    redirect_uris: z.array(z.string()).min(1).max(10),
    client_name: z.string().optional(),
    token_endpoint_auth_method: z.string().optional().describe('Always answered as `none`: clients are public.'),
  })
  .meta({ id: 'RegisterOAuthClient', description: 'RFC 7591.' });
export type RegisterClient = z.infer<typeof registerClientSchema>;

/** What a client's address answers about it (Client ID Metadata Documents): of a public client, and naming itself. */
export const clientDocumentSchema = registerClientSchema.omit({ token_endpoint_auth_method: true }).extend({
  client_id: z.string(),
  token_endpoint_auth_method: z.literal('none').optional(),
});

export const registeredClientSchema = z
  .object({
    client_id: z.string(),
    client_id_issued_at: z.number().int(),
    client_name: z.string(),
    redirect_uris: z.array(z.string()),
    token_endpoint_auth_method: z.literal('none'),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    scope: z.string(),
  })
  .meta({ id: 'RegisteredOAuthClient', description: 'RFC 7591.' });
export type RegisteredClient = z.infer<typeof registeredClientSchema>;

export const oauthTokensSchema = z
  .object({
    access_token: z.string().describe('A JWT that is good at `/mcp` alone.'),
    token_type: z.literal('Bearer'),
    expires_in: z.number().int().positive().describe('Seconds until the access token ends.'),
    refresh_token: z.string().describe('Single use: each answer carries its successor.'),
    scope: z.string(),
  })
  .meta({ id: 'OAuthTokens', description: 'RFC 6749 section 5.1.' });
export type OAuthTokens = z.infer<typeof oauthTokensSchema>;

const resourceMetadata = {
  method: 'GET',
  summary: 'Which authorization server gives tokens for /mcp (RFC 9728)',
  requires: 'public',
  refuses: ANYONE,
  status: 200,
  response: protectedResourceSchema,
} as const;

/** SPEC I2: how an MCP client signs a person in. */
export const oauthRoutes = defineRoutes({
  oauth_server_metadata: {
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    summary: 'Where MCP clients register, ask and get tokens (RFC 8414)',
    requires: 'public',
    refuses: ANYONE,
    status: 200,
    response: authorizationServerSchema,
  },
  oauth_resource_metadata: { ...resourceMetadata, path: '/.well-known/oauth-protected-resource' },
  oauth_mcp_metadata: { ...resourceMetadata, path: MCP_RESOURCE_METADATA_PATH },
  oauth_register: {
    method: 'POST',
    path: '/oauth/register',
    summary: 'Register an MCP client (RFC 7591)',
    requires: 'public',
    refuses: ANYONE,
    status: 201,
    body: registerClientSchema,
    response: registeredClientSchema,
    refusals: 'oauth',
  },
  oauth_authorize: {
    method: 'GET',
    path: '/oauth/authorize',
    summary: 'The page where a person signs in for an MCP client: code with PKCE (RFC 6749, 7636, 8707)',
    requires: 'public',
    refuses: ANYONE,
    status: 200,
    response: 'page',
    refusals: 'page',
  },
  oauth_login: {
    method: 'POST',
    path: '/oauth/login',
    summary: 'What that page sends: email and password',
    requires: 'public',
    refuses: ANYONE,
    status: 200,
    body: 'form',
    response: 'page',
    refusals: 'page',
  },
  oauth_consent: {
    method: 'POST',
    path: '/oauth/consent',
    summary: 'What the page after it sends: the tenant and the yes or no; sends the browser back to the client (303)',
    requires: 'public',
    refuses: ANYONE,
    status: 200,
    body: 'form',
    response: 'page',
    refusals: 'page',
  },
  oauth_token: {
    method: 'POST',
    path: '/oauth/token',
    summary: 'Exchange a code, or a refresh token, for tokens that are good at /mcp alone',
    requires: 'public',
    refuses: ANYONE,
    status: 200,
    body: 'form',
    response: oauthTokensSchema,
    refusals: 'oauth',
  },
  oauth_revoke: {
    method: 'POST',
    path: '/oauth/revoke',
    summary: 'End the session of a token (RFC 7009); the answer is the same for a token that is not good',
    requires: 'public',
    refuses: ANYONE,
    status: 200,
    body: 'form',
    response: z.object({}).meta({ id: 'Empty' }),
    refusals: 'oauth',
  },
});

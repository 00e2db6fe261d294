import { MCP_SCOPE, type AuthorizationServer, type ProtectedResource } from '@hcp/contracts';
import { AccessTokens } from '@hcp/tenancy';
import { Controller, Inject } from '@nestjs/common';
import { Route } from '../platform/route.js';

/** How a client finds out where to sign a person in (RFC 9728, RFC 8414). No OpenID Connect: nothing here tells a client who that is. */
@Controller()
export class OAuthMetadataController {
  constructor(@Inject(AccessTokens) private readonly tokens: AccessTokens) {}

  @Route('oauth_server_metadata')
  server(): AuthorizationServer {
    const { issuer } = this.tokens;
    return {
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      registration_endpoint: `${issuer}/oauth/register`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      scopes_supported: [MCP_SCOPE],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    };
  }

  @Route('oauth_resource_metadata')
  resource(): ProtectedResource {
    return {
      resource: this.tokens.mcp_resource,
      authorization_servers: [this.tokens.issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: [MCP_SCOPE],
      resource_name: 'Hosted control plane for commands',
    };
  }

  @Route('oauth_mcp_metadata')
  mcp(): ProtectedResource {
    return this.resource();
  }
}

import { MCP_RESOURCE_METADATA_PATH, ROUTES } from '@hcp/contracts';
import type { FastifyRequest } from 'fastify';

/**
 * `WWW-Authenticate` of a 401 (RFC 6750). That of `/mcp` also says where a client finds out how to get a token
 * (RFC 9728): a program that was given the address alone has no other way to.
 */
export function challenge({ headers, routeOptions }: FastifyRequest, public_url: string): string {
  if (routeOptions?.url !== ROUTES.mcp.path) return 'Bearer';
  const bad = headers.authorization === undefined ? '' : ', error="invalid_token"';
  return `Bearer resource_metadata="${public_url}${MCP_RESOURCE_METADATA_PATH}"${bad}`;
}

import type { CommandRequest, RequestCredential } from '@hcp/core';
import { isNode, type Node } from './node.js';

type Credentials = CommandRequest['credentials'];

/** What a connection calls the one secret of an API. */
const TOKEN = 'token';

/**
 * How an operation is signed in to (SPEC W7), from its own `security` or the document's. Alternatives that need what is
 * not spoken here (mutual TLS, digest) are left out.
 * @returns null where every alternative needs that
 */
export function credentialsOf(document: Node, operation: Node): Credentials | null {
  const wanted = operation['security'] ?? document['security'];
  if (!Array.isArray(wanted) || wanted.length === 0) return [];
  const components = document['components'];
  const schemes = isNode(components) ? components['securitySchemes'] : undefined;
  const alternatives = wanted.flatMap((requirement): Credentials => {
    if (!isNode(requirement)) return [];
    const names = Object.keys(requirement);
    const keys = names.filter((name) => isNode(schemes) && isNode(schemes[name]) && schemes[name]['type'] === 'apiKey');
    const parts = names.map((name) => partOf(name, isNode(schemes) ? schemes[name] : undefined, keys.length > 1));
    return parts.every((part) => part !== null) ? [parts] : [];
  });
  return alternatives.length === 0 ? null : alternatives;
}

function partOf(name: string, scheme: unknown, several: boolean): RequestCredential | null {
  if (!isNode(scheme)) return null;
  const type = scheme['type'];
  const http = typeof scheme['scheme'] === 'string' ? scheme['scheme'].toLowerCase() : '';
  if (type === 'oauth2' || type === 'openIdConnect' || (type === 'http' && http === 'bearer')) {
    return { type: 'bearer', field: TOKEN };
  }
  if (type === 'http' && http === 'basic') return { type: 'basic', username: 'username', password: 'password' };
  const place = scheme['in'];
  if (type !== 'apiKey' || typeof scheme['name'] !== 'string') return null;
  if (place !== 'header' && place !== 'query' && place !== 'cookie') return null;
  // Two keys at once are told apart by the document's names for them.
  const field = several ? name.replace(/[^A-Za-z0-9_]+/g, '_') : TOKEN;
  return { type: 'api_key', field, in: place, name: scheme['name'] };
}

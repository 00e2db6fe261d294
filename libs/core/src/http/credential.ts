import type { CommandRequest, RequestCredential } from '../packs/request.js';
import type { Pack } from '../packs/pack.js';
import { bindingFields } from '../packs/binding-env.js';

/** Where a credential goes in a request. */
export interface Authorization {
  readonly headers: readonly (readonly [string, string])[];
  readonly query: readonly (readonly [string, string])[];
  readonly cookies: readonly (readonly [string, string])[];
}

type Fields = Readonly<Record<string, string>>;

/**
 * The credential in the place that the API's document says (SPEC W7): the first of its alternatives for which the
 * connection has all fields.
 * @returns the fields of the first alternative, where the connection has those of none
 */
export function authorizeRequest(
  { credentials }: Pick<CommandRequest, 'credentials'>,
  fields: Fields,
  encodeBasic: (username: string, password: string) => string,
): { readonly ok: true; readonly authorization: Authorization } | { readonly ok: false; readonly fields: string[] } {
  const chosen = credentials.find((parts) => parts.flatMap(fieldsOf).every((name) => Object.hasOwn(fields, name)));
  if (chosen === undefined && credentials.length > 0) {
    return { ok: false, fields: credentials[0]?.flatMap(fieldsOf) ?? [] };
  }
  const authorization = { headers: [], query: [], cookies: [] } as Record<
    'headers' | 'query' | 'cookies',
    [string, string][]
  >;
  for (const part of chosen ?? []) {
    if (part.type === 'bearer') authorization.headers.push(['authorization', `Bearer ${fields[part.field] ?? ''}`]);
    else if (part.type === 'basic') {
      const text = encodeBasic(fields[part.username] ?? '', fields[part.password] ?? '');
      authorization.headers.push(['authorization', `Basic ${text}`]);
    } else {
      const place = part.in === 'header' ? 'headers' : part.in === 'cookie' ? 'cookies' : 'query';
      authorization[place].push([part.name, fields[part.field] ?? '']);
    }
  }
  return { ok: true, authorization };
}

/** The fields of one part of an alternative. */
export const fieldsOf = (part: RequestCredential): string[] =>
  part.type === 'basic' ? [part.username, part.password] : [part.field];

/**
 * The fields that a credential of this pack has: those that `binding.env` names, and for an API those of the first way to
 * sign in that each command's operation has.
 */
export function credentialFields({ manifest, surface }: Pick<Pack, 'manifest' | 'surface'>): string[] {
  const requests = Object.values(surface.commands).flatMap(({ request }) => (request ? [request] : []));
  const of_api = requests.flatMap(({ credentials }) => credentials.find((parts) => parts.length > 0) ?? []);
  return [...new Set([...bindingFields(manifest), ...of_api.flatMap(fieldsOf)])];
}

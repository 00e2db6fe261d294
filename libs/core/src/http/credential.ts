import type { CommandRequest, RequestCredential } from '../packs/request.js';
import type { Pack } from '../packs/pack.js';
import { parseToken } from '../argv/template.js';
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

/** What a field of a credential becomes: a variable of the program's environment, or its part of a request. */
export const FIELD_PLACES = ['variable', 'bearer', 'username', 'password', 'header', 'query', 'cookie'] as const;

export interface FieldUse {
  readonly field: string;
  readonly as: (typeof FIELD_PLACES)[number];
  /** Of the variable, header or parameter. */
  readonly name: string | null;
}

/** Where the fields of a credential go, for whoever has to give them: each place once. */
export function credentialUses(pack: Pick<Pack, 'manifest' | 'surface'>): FieldUse[] {
  const fields = credentialFields(pack);
  const requests = Object.values(pack.surface.commands).flatMap(({ request }) => request?.credentials.flat() ?? []);
  const all = [
    ...Object.entries(pack.manifest.binding.env ?? {}).flatMap(([name, value]) =>
      parseToken(value).names.map((field): FieldUse => ({ field, as: 'variable', name })),
    ),
    ...requests.flatMap(usesOf),
  ].filter(({ field }) => fields.includes(field));
  return [...new Map(all.map((use) => [`${use.field} ${use.as} ${use.name ?? ''}`, use])).values()];
}

function usesOf(part: RequestCredential): FieldUse[] {
  if (part.type === 'bearer') return [{ field: part.field, as: 'bearer', name: null }];
  if (part.type === 'api_key') return [{ field: part.field, as: part.in, name: part.name }];
  return [
    { field: part.username, as: 'username', name: null },
    { field: part.password, as: 'password', name: null },
  ];
}

/**
 * The fields that a credential of this pack has: those that `binding.env` names, and for an API those of the first way to
 * sign in that each command's operation has.
 */
export function credentialFields({ manifest, surface }: Pick<Pack, 'manifest' | 'surface'>): string[] {
  const requests = Object.values(surface.commands).flatMap(({ request }) => (request ? [request] : []));
  const of_api = requests.flatMap(({ credentials }) => credentials.find((parts) => parts.length > 0) ?? []);
  return [...new Set([...bindingFields(manifest), ...of_api.flatMap(fieldsOf)])];
}

import {
  ARG_NAME,
  PARAMETER_STYLES,
  type ApiOperation,
  type CommandRequest,
  type ParameterStyle,
  type RequestParameter,
  type RequestPlace,
} from '@hcp/core';
import { isReadOnly } from './args-schema.js';
import { isNode, type Node } from './node.js';

/** One argument of an operation: where it goes, and what the document says of it. */
export interface Argument {
  readonly arg: string;
  readonly schema: unknown;
  readonly description: string | null;
  readonly required: boolean;
}

export type Placed =
  | {
      readonly ok: true;
      readonly arguments: readonly Argument[];
      readonly parameters: readonly RequestParameter[];
      readonly body: CommandRequest['body'];
    }
  | { readonly ok: false; readonly why: string };

/** Arguments of one command. */
const MAX_ARGUMENTS = 500;
/** Of a parameter's or field's name, as a request keeps it. */
const MAX_NAME = 200;

/** Set by the request itself or by its credential (OpenAPI 3.1, section 4.8.12.2), or never by an argument. */
const NO_ARGUMENTS = new Set(
  (
    'accept content-type authorization host cookie connection content-length transfer-encoding upgrade expect te trailer ' +
    'proxy-authorization forwarded x-forwarded-for x-forwarded-host x-forwarded-proto'
  ).split(' '),
);

/** Every argument of an operation with its place (SPEC W7). A name that two places have is given the place's name too. */
export function placeArguments(
  { path_item, operation }: ApiOperation,
  credentials: CommandRequest['credentials'],
): Placed {
  const secret = new Set(
    credentials.flat().flatMap((part) => (part.type === 'api_key' ? [placeOf(part.in, part.name)] : [])),
  );
  const names = new Names();
  const found = parametersOf(path_item, operation);
  if (found.length > MAX_ARGUMENTS) return TOO_MANY;
  if (found.some(({ name }) => tooLong(name))) return TOO_LONG;
  const args: Argument[] = [];
  const parameters: RequestParameter[] = [];
  for (const parameter of found) {
    const { in: place, name } = parameter;
    if (!isPlace(place) || typeof name !== 'string') continue;
    if (secret.has(placeOf(place, name))) continue;
    if (place === 'header' && NO_ARGUMENTS.has(name.toLowerCase())) continue;
    const { schema, media } = schemaOf(parameter);
    const arg = names.take(place, name);
    const style = media
      ? 'json'
      : (styleOf(parameter['style']) ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple'));
    const explode = typeof parameter['explode'] === 'boolean' ? parameter['explode'] : style === 'form';
    parameters.push({ arg, name, in: place, style, explode });
    args.push({ arg, schema, description: textOf(parameter['description']), required: parameter['required'] === true });
  }
  const body = bodyOf(operation['requestBody'], names);
  if (!body.ok) return body;
  if (args.length + body.arguments.length > MAX_ARGUMENTS) return TOO_MANY;
  return { ok: true, arguments: [...args, ...body.arguments], parameters, body: body.body };
}

/** The names of headers are the same in any case. */
const placeOf = (place: string, name: string): string => `${place}:${place === 'header' ? name.toLowerCase() : name}`;

const TOO_MANY = { ok: false, why: `takes more than ${MAX_ARGUMENTS} arguments` } as const;
const TOO_LONG = { ok: false, why: `has an argument whose name is longer than ${MAX_NAME} characters` } as const;
const tooLong = (name: unknown): boolean => typeof name === 'string' && name.length > MAX_NAME;

/** Those of the path, each replaced by the operation's own of the same name and place. */
function parametersOf(path_item: Node, operation: Node): Node[] {
  const all = new Map<string, Node>();
  for (const each of [...list(path_item['parameters']), ...list(operation['parameters'])]) {
    if (isNode(each)) all.set(`${String(each['in'])}:${String(each['name'])}`, each);
  }
  return [...all.values()];
}

function schemaOf(parameter: Node): { schema: unknown; media: boolean } {
  const content = parameter['content'];
  if (!isNode(content)) return { schema: parameter['schema'], media: false };
  const [first] = Object.values(content);
  return { schema: isNode(first) ? first['schema'] : undefined, media: true };
}

type Body = { ok: true; arguments: Argument[]; body: CommandRequest['body'] } | { ok: false; why: string };

function bodyOf(value: unknown, names: Names): Body {
  if (!isNode(value) || !isNode(value['content'])) return { ok: true, arguments: [], body: null };
  const required = value['required'] === true;
  const chosen = chooseMedia(value['content']);
  if (chosen === null) {
    if (!required) return { ok: true, arguments: [], body: null };
    return { ok: false, why: `takes a body of ${Object.keys(value['content']).join(' or ')}, which is not sent` };
  }
  const { media_type, encoding, media } = chosen;
  const { schema } = media;
  const properties = encoding === 'text' ? null : propertiesOf(schema);
  if (properties === null) {
    if (encoding === 'form') return { ok: false, why: 'takes a form whose fields are not declared' };
    const arg = names.take('body', 'body');
    const argument = {
      arg,
      schema: encoding === 'text' ? { type: 'string' } : schema,
      required,
      description: textOf(value['description']),
    };
    return { ok: true, arguments: [argument], body: { media_type, encoding, whole: arg, fields: [] } };
  }
  const named = Object.keys(properties);
  if (named.length > MAX_ARGUMENTS) return TOO_MANY;
  if (named.some(tooLong)) return TOO_LONG;
  const wanted = new Set(list((schema as Node)['required']));
  const fields: RequestPlace[] = [];
  const args: Argument[] = [];
  for (const [name, property] of Object.entries(properties)) {
    if (isReadOnly(property)) continue;
    const arg = names.take('body', name);
    fields.push({ arg, name, ...writing(encoding, property, media, name) });
    args.push({ arg, schema: property, description: null, required: required && wanted.has(name) });
  }
  return { ok: true, arguments: args, body: { media_type, encoding, whole: null, fields } };
}

function chooseMedia(content: Node): { media_type: string; encoding: 'json' | 'form' | 'text'; media: Node } | null {
  const entries = Object.entries(content).map(([media_type, media]) => ({
    media_type,
    media: isNode(media) ? media : {},
  }));
  const find = (pattern: RegExp) => entries.find(({ media_type }) => pattern.test(media_type));
  const json = find(/^application\/([\w.+-]+\+)?json\b/i);
  if (json) return { ...json, encoding: 'json' };
  const form = find(/^application\/x-www-form-urlencoded\b/i);
  if (form) return { ...form, encoding: 'form' };
  const text = find(/^text\/(plain|csv|markdown|html)\b/i);
  return text ? { ...text, encoding: 'text' } : null;
}

/** The fields of a body that is a plain object; null where it is anything else and must be given whole. */
function propertiesOf(schema: unknown): Node | null {
  if (!isNode(schema) || !isNode(schema['properties'])) return null;
  const open = ['oneOf', 'anyOf', 'allOf', 'not', 'patternProperties'].some((key) => Object.hasOwn(schema, key));
  return open || isNode(schema['additionalProperties']) ? null : schema['properties'];
}

/** How one field of a form is written (OpenAPI 3.1, section 4.8.15): a deep value as JSON unless the document says a style. */
function writing(
  encoding: 'json' | 'form' | 'text',
  property: unknown,
  media: Node,
  name: string,
): Pick<RequestPlace, 'style' | 'explode'> {
  if (encoding !== 'form') return { style: 'json', explode: false };
  const rules = isNode(media['encoding']) ? media['encoding'][name] : undefined;
  const style = isNode(rules) ? styleOf(rules['style']) : null;
  const explode = isNode(rules) && typeof rules['explode'] === 'boolean' ? rules['explode'] : null;
  if (style !== null || explode !== null) {
    const used = style ?? 'form';
    return { style: used, explode: explode ?? used === 'form' };
  }
  return isDeep(property) ? { style: 'json', explode: false } : { style: 'form', explode: true };
}

function isDeep(schema: unknown, level = 0): boolean {
  // Lists of lists without end hold themselves.
  if (!isNode(schema) || level > 16) return level > 16;
  const types = list(schema['type'] ?? []);
  const [type] = types.length > 0 ? types : [schema['type']];
  if (type === 'object' || isNode(schema['properties'])) return true;
  return type === 'array' && isNode(schema['items']) && isDeep(schema['items'], level + 1);
}

/** Argument names, each once. */
class Names {
  private readonly taken = new Set<string>();

  take(place: string, name: string): string {
    const plain = name
      .replace(/[^A-Za-z0-9_-]+/g, '_')
      .replace(/^([^A-Za-z_])/, '_$1')
      .replace(/(?<=.)_+$/, '')
      .slice(0, 50);
    const base = ARG_NAME.test(plain) ? plain : '_';
    let arg = base;
    for (let count = 1; this.taken.has(arg); count += 1)
      arg = count === 1 ? `${place}_${base}` : `${place}_${base}_${count}`;
    this.taken.add(arg);
    return arg;
  }
}

const STYLES: readonly string[] = PARAMETER_STYLES.filter((style) => style !== 'json');
const styleOf = (value: unknown): ParameterStyle | null =>
  typeof value === 'string' && STYLES.includes(value) ? (value as ParameterStyle) : null;

const PLACES: readonly unknown[] = ['path', 'query', 'header', 'cookie'];
const isPlace = (value: unknown): value is RequestParameter['in'] => PLACES.includes(value);

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

import type { ParameterStyle, RequestPlace } from '../packs/request.js';

/** One name with one value, neither of them encoded. */
export type Pair = readonly [name: string, value: string];

/** Written where brackets, commas and the like are part of the style and not of the value. */
export type Encode = (text: string) => string;

/**
 * What stands for the value in a query, a form or a cookie, by the tables of OpenAPI 3.1 (section 4.8.12.4). `deepObject` of
 * deeper values, which OpenAPI leaves open, is written as PHP, Rails and Stripe read it: `items[0][price]=1`.
 * @returns null for a value that the style cannot write
 */
export function serializePairs(place: RequestPlace, value: unknown, encode: Encode): Pair[] | null {
  const { name, style, explode } = place;
  if (style === 'json') return [[encode(name), encode(JSON.stringify(value))]];
  if (style === 'deepObject') return deep(encode(name), value, encode);
  const separator = SEPARATORS[style];
  if (separator === undefined) return null;
  if (Array.isArray(value)) {
    const items = texts(value);
    if (items === null) return null;
    if (explode) return items.map((item) => [encode(name), encode(item)]);
    return items.length === 0 ? [] : [[encode(name), items.map(encode).join(separator)]];
  }
  if (isObject(value)) {
    const members = membersOf(value);
    if (members === null) return null;
    if (explode) return members.map(([key, item]) => [encode(key), encode(item)]);
    return members.length === 0 ? [] : [[encode(name), members.flat().map(encode).join(separator)]];
  }
  return isPlain(value) ? [[encode(name), encode(String(value))]] : null;
}

/**
 * The one text that stands for the value in a path or a header.
 * @returns null for a value that the style cannot write
 */
export function serializeText({ name, style, explode }: RequestPlace, value: unknown, encode: Encode): string | null {
  if (style === 'json') return encode(JSON.stringify(value));
  const [before, between] = style === 'label' ? ['.', '.'] : style === 'matrix' ? [';', ';'] : ['', ','];
  const named = style === 'matrix' ? `${encode(name)}=` : '';
  if (Array.isArray(value)) {
    const items = texts(value)?.map(encode);
    if (!items || items.length === 0) return null;
    if (!explode) return `${before}${named}${items.join(',')}`;
    return before + items.map((item) => `${named}${item}`).join(between);
  }
  if (isObject(value)) {
    const members = membersOf(value)?.map((member) => member.map(encode));
    if (!members || members.length === 0) return null;
    if (!explode) return `${before}${named}${members.flat().join(',')}`;
    return before + members.map((member) => member.join('=')).join(between);
  }
  return isPlain(value) ? `${before}${named}${encode(String(value))}` : null;
}

const SEPARATORS: Partial<Record<ParameterStyle, string>> = { form: ',', spaceDelimited: '%20', pipeDelimited: '%7C' };

function deep(name: string, value: unknown, encode: Encode): Pair[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => deep(`${name}[${index}]`, item, encode));
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, item]) => deep(`${name}[${encode(key)}]`, item, encode));
  }
  return isPlain(value) ? [[name, encode(String(value))]] : [];
}

/** Items that are plain values, as text; null where one is not. */
function texts(items: readonly unknown[]): string[] | null {
  return items.some((item) => typeof item === 'object') ? null : items.map(String);
}

function membersOf(value: object): [string, string][] | null {
  const members = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  return members.some(([, item]) => typeof item === 'object')
    ? null
    : members.map(([key, item]) => [key, String(item)]);
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

import { isPlainDecimal, numberRoundTrips } from '@hcp/core';
import { isNode } from './schema.js';

type Node = Readonly<Record<string, unknown>>;

/**
 * Arguments as a form holds them, where each number is the text that was typed, as they are sent. The API takes the text of a
 * number where the schema has it among properties and items, and then `2.80` stays `2.80`; below alternatives and references it
 * wants a number. A list or an object that was emptied again is not given, unless it has to be. A text that no number holds exactly stays one, and the API says what is wrong with it.
 */
export function exactArgs(schema: Node, args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return sent(schema, [{ schema, plain: true }], args) as Record<string, unknown>;
}

interface Candidate {
  readonly schema: Node;
  /** Reached by properties and items alone. */
  readonly plain: boolean;
}

function sent(root: Node, candidates: readonly Candidate[], value: unknown): unknown {
  const all = candidates.flatMap((candidate) => alternatives(root, candidate));
  if (typeof value === 'string') {
    const types = all.flatMap(({ schema }) => schema['type']);
    if (all.some(({ schema, plain }) => plain && isNumber(schema)) || types.includes('string')) return value;
    const wanted = all.some(({ schema }) => isNumber(schema)) && isPlainDecimal(value) && numberRoundTrips(value);
    return wanted ? Number(value) : value;
  }
  if (Array.isArray(value)) {
    const items = all.map(({ schema, plain }) => ({ schema: schema['items'], plain })).filter(hasSchema);
    return value.map((item) => sent(root, items, item));
  }
  if (!isNode(value)) return value;
  const required = new Set(all.flatMap(({ schema }) => schema['required'] ?? []));
  const given = Object.entries(value).filter(([name, item]) => required.has(name) || !isEmptied(item));
  const entries = given.map(([name, item]): [string, unknown] => {
    const of = all.map(({ schema, plain }) => propertyOf(schema, name, plain)).filter(hasSchema);
    return [name, sent(root, of, item)];
  });
  return Object.fromEntries(entries);
}

/** What a form leaves of a list or an object from which everything was taken again. */
const isEmptied = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length === 0
    : isNode(value) && Object.values(value).every((each) => each === undefined || isEmptied(each));

function propertyOf(schema: Node, name: string, plain: boolean): { schema: unknown; plain: boolean } {
  const { properties, additionalProperties } = schema;
  if (isNode(properties) && Object.hasOwn(properties, name)) return { schema: properties[name], plain };
  return { schema: additionalProperties, plain: false };
}

const hasSchema = (each: { schema: unknown; plain: boolean }): each is Candidate => isNode(each.schema);

const isNumber = ({ type }: Node): boolean => [type].flat().some((each) => each === 'number' || each === 'integer');

function alternatives(root: Node, { schema, plain }: Candidate, depth = 0): Candidate[] {
  const inner: unknown[] = ['oneOf', 'anyOf', 'allOf'].flatMap((key) => schema[key] ?? []);
  const [, map, name] = /^#\/(\$defs|definitions)\/([A-Za-z0-9_-]+)$/.exec(String(schema['$ref'])) ?? [];
  const defs = map === undefined ? undefined : root[map];
  if (name !== undefined && isNode(defs)) inner.push(defs[name]);
  if (depth > 8) return [{ schema, plain }];
  const more = inner.filter(isNode).flatMap((each) => alternatives(root, { schema: each, plain: false }, depth + 1));
  return [{ schema, plain }, ...more];
}

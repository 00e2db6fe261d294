import type { JsonSchema } from '@hcp/core';
import { RE2JS } from 're2js';
import { isNode, type Node } from './node.js';

/** How much of a schema is kept; what lies deeper is left to the API itself. */
export interface Extent {
  readonly depth: number;
  readonly patterns: boolean;
}

const COPIED = [
  'type',
  'enum',
  'const',
  'description',
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const;

/** Those that the check of arguments knows; OpenAPI's own (`int32`, `binary`) bind nobody. */
const FORMATS = new Set(['date', 'time', 'date-time', 'duration', 'uuid', 'email', 'hostname', 'ipv4', 'ipv6', 'uri']);
const MAX_DESCRIPTION = 300;

/**
 * A schema of an OpenAPI document as one of JSON Schema that the check of arguments takes. It may be looser than its origin
 * and never stricter: `oneOf` becomes `anyOf`, what lies too deep takes anything, `nullable` and the old exclusive bounds
 * are put in today's words.
 */
export function argsSchema(schema: unknown, extent: Extent): JsonSchema {
  if (!isNode(schema)) return {};
  const out: Record<string, unknown> = {};
  for (const key of COPIED) if (Object.hasOwn(schema, key)) out[key] = schema[key];
  const { description, pattern, format } = schema;
  if (typeof description === 'string') out['description'] = description.slice(0, MAX_DESCRIPTION);
  if (extent.patterns && typeof pattern === 'string' && compiles(pattern)) out['pattern'] = pattern;
  if (extent.patterns && typeof format === 'string' && FORMATS.has(format)) out['format'] = format;
  bounds(schema, out);
  if (extent.depth > 0) nested(schema, out, { ...extent, depth: extent.depth - 1 });
  if (schema['nullable'] === true) nullable(out);
  return out;
}

function nested(schema: Node, out: Record<string, unknown>, extent: Extent): void {
  const { properties, required, items, additionalProperties } = schema;
  if (isNode(properties)) {
    const kept = Object.entries(properties).filter(([, each]) => !isReadOnly(each));
    out['properties'] = Object.fromEntries(kept.map(([name, each]) => [name, argsSchema(each, extent)]));
    if (Array.isArray(required)) {
      const names = new Set(kept.map(([name]) => name));
      const still = required.filter((name) => names.has(String(name)));
      if (still.length > 0) out['required'] = still;
    }
  }
  if (isNode(items)) out['items'] = argsSchema(items, extent);
  if (additionalProperties === false) out['additionalProperties'] = false;
  const choices = [schema['anyOf'], schema['oneOf']].find(Array.isArray) as unknown[] | undefined;
  if (choices) out['anyOf'] = choices.map((each) => argsSchema(each, extent));
  // A closed part would refuse what the other parts of an `allOf` declare.
  if (Array.isArray(schema['allOf'])) {
    out['allOf'] = schema['allOf'].map((each) => {
      const { additionalProperties: _closed, ...part } = argsSchema(each, extent);
      return part;
    });
  }
}

/** OpenAPI 3.0: `exclusiveMinimum: true` beside `minimum`. */
function bounds(schema: Node, out: Record<string, unknown>): void {
  for (const [exclusive, inclusive] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const value = schema[exclusive];
    if (typeof value === 'number') out[exclusive] = value;
    else if (value === true && typeof schema[inclusive] === 'number') {
      out[exclusive] = schema[inclusive];
      delete out[inclusive];
    }
  }
}

function nullable(out: Record<string, unknown>): void {
  if (typeof out['type'] === 'string') out['type'] = [out['type'], 'null'];
  if (Array.isArray(out['enum'])) out['enum'] = [...new Set([...(out['enum'] as unknown[]), null])];
}

/** Sent by the API alone. */
export const isReadOnly = (schema: unknown): boolean => isNode(schema) && schema['readOnly'] === true;

function compiles(pattern: string): boolean {
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}

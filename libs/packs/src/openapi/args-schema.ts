import type { JsonSchema } from '@hcp/core';
import { SCHEMA_LIMITS } from '@hcp/schemas';
import { RE2JS } from 're2js';
import { isNode, type Node } from './node.js';

/** How much of a schema is kept; what lies deeper is left to the API itself. */
export interface Extent {
  readonly depth: number;
  readonly patterns: boolean;
}

/**
 * How much may still be made of a document's schemas, in characters. Its references are in their places by now, so that a few
 * kilobytes may stand for anything, themselves included: what is looked at is counted, not what is there.
 */
export class Room {
  left: number = SCHEMA_LIMITS.bytes;

  /** @returns whether there was room for it */
  take(characters: number): boolean {
    this.left -= characters;
    return this.left >= 0;
  }

  /** Takes the room that the value needs, with all that it holds. */
  holds(value: unknown, level = 0): boolean {
    if (typeof value === 'string') return this.take(value.length + 2);
    if (typeof value !== 'object' || value === null) return this.take(4);
    if (level > SCHEMA_LIMITS.depth) return this.take(Infinity);
    return (
      this.take(2) && Object.entries(value).every(([key, each]) => this.take(key.length) && this.holds(each, level + 1))
    );
  }
}

const COPIED = [
  'type',
  'enum',
  'const',
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
 * are put in today's words. Where the room ends, nothing that comes out is of use.
 */
export function argsSchema(schema: unknown, extent: Extent, room: Room): JsonSchema {
  if (!isNode(schema) || !room.take(2)) return {};
  const out: Record<string, unknown> = {};
  for (const key of COPIED) if (Object.hasOwn(schema, key) && room.holds(schema[key])) out[key] = schema[key];
  const { description, pattern, format } = schema;
  const told = typeof description === 'string' ? description.slice(0, MAX_DESCRIPTION) : '';
  if (told !== '' && room.holds(told)) out['description'] = told;
  if (extent.patterns && typeof pattern === 'string' && room.holds(pattern) && compiles(pattern))
    out['pattern'] = pattern;
  if (extent.patterns && typeof format === 'string' && FORMATS.has(format)) out['format'] = format;
  bounds(schema, out);
  if (extent.depth > 0) nested(schema, out, { ...extent, depth: extent.depth - 1 }, room);
  if (schema['nullable'] === true) nullable(out);
  return out;
}

function nested(schema: Node, out: Record<string, unknown>, extent: Extent, room: Room): void {
  const { properties, required, items, additionalProperties } = schema;
  if (isNode(properties)) {
    const kept = Object.entries(properties).filter(([name, each]) => !isReadOnly(each) && room.take(name.length + 4));
    out['properties'] = Object.fromEntries(kept.map(([name, each]) => [name, argsSchema(each, extent, room)]));
    if (Array.isArray(required)) {
      const names = new Set(kept.map(([name]) => name));
      const still = required.filter((name) => names.has(String(name)));
      if (still.length > 0) out['required'] = still;
    }
  }
  if (isNode(items)) out['items'] = argsSchema(items, extent, room);
  if (additionalProperties === false) out['additionalProperties'] = false;
  const choices = [schema['anyOf'], schema['oneOf']].find(Array.isArray) as unknown[] | undefined;
  if (choices) out['anyOf'] = choices.map((each) => argsSchema(each, extent, room));
  // A closed part would refuse what the other parts of an `allOf` declare.
  if (Array.isArray(schema['allOf'])) {
    out['allOf'] = schema['allOf'].map((each) => {
      const { additionalProperties: _closed, ...part } = argsSchema(each, extent, room);
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

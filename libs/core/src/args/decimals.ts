import type { JsonSchema } from '../packs/surface.js';
import { isPlainDecimal, numberRoundTrips } from '../text/decimal.js';
import { nameForError } from '../text/unicode.js';

type Read = { ok: true; value: unknown } | { ok: false; path: string };

/**
 * A copy of `value` for the schema check in which the decimal strings of number properties are numbers, and `true` and
 * `false` of a switch are booleans, as a command line gives them. The command
 * still gets the string as it was sent: `2.80` stays `2.80` (SPEC E4). Strings that a double cannot hold are refused,
 * because a limit checked on the rounded number would not hold for the one that is passed on.
 */
export function readDecimals(schema: JsonSchema, value: unknown, path = ''): Read {
  if (typeof value === 'string') {
    if (schema['x-switch'] !== undefined && (value === 'true' || value === 'false')) {
      return { ok: true, value: value === 'true' };
    }
    if (!wantsNumber(schema, value)) return { ok: true, value };
    return numberRoundTrips(value) ? { ok: true, value: Number(value) } : { ok: false, path };
  }
  if (Array.isArray(value)) {
    const items = asSchema(schema['items']);
    if (items === null) return { ok: true, value };
    const copy: unknown[] = [];
    for (const [index, item] of value.entries()) {
      const read = readDecimals(items, item, join(path, String(index)));
      if (!read.ok) return read;
      copy.push(read.value);
    }
    return { ok: true, value: copy };
  }
  const properties = asSchema(schema['properties']);
  if (typeof value !== 'object' || value === null || properties === null) return { ok: true, value };
  const copy: [string, unknown][] = [];
  for (const [name, item] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? asSchema(properties[name]) : null;
    const read: Read = property === null ? { ok: true, value: item } : readDecimals(property, item, join(path, name));
    if (!read.ok) return read;
    copy.push([name, read.value]);
  }
  return { ok: true, value: Object.fromEntries(copy) };
}

function wantsNumber(schema: JsonSchema, text: string): boolean {
  const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  if (types.includes('string') || !isPlainDecimal(text)) return false;
  // `3.0` is the integer 3 to a validator, yet `3.0` is what an integer option of a command would choke on.
  return types.includes('number') || (types.includes('integer') && !text.includes('.'));
}

const asSchema = (value: unknown): JsonSchema | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : null;

const join = (path: string, name: string): string =>
  path === '' ? nameForError(name) : `${path}.${nameForError(name)}`;

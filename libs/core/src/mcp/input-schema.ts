import { argumentNames, declaresArg } from '../packs/lookup.js';
import type { Manifest } from '../packs/manifest.js';
import type { Command, JsonSchema } from '../packs/surface.js';
import { escapeInvisible } from '../text/unicode.js';

const CONFIRM: JsonSchema = {
  type: 'boolean',
  description: 'true only after a person has agreed to exactly this call; never set it of your own accord.',
};

/** Keywords whose value is one schema, a list of schemas, or schemas by name. */
const ONE = new Set([
  ...['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
]);
const LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const BY_NAME = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']);
/** Text for people; what cannot be seen in it could hide an instruction. */
const TEXT = new Set(['$comment', 'description', 'title']);

/**
 * The JSON Schema of a tool's arguments (SPEC I2): the command's own, with its texts escaped and without the extensions
 * that speak to the runtime. A command without a schema takes what its command line names.
 */
export function toolInputSchema(manifest: Manifest, command: Command, confirms: boolean): JsonSchema {
  const names = [...argumentNames(manifest, command)].map((name) => [name, {}] as const);
  const schema = command.args ? shown(command.args) : { type: 'object', properties: Object.fromEntries(names) };
  if (!confirms || declaresArg(command, 'confirm')) return schema;
  return { ...schema, properties: { ...(schema['properties'] as JsonSchema | undefined), confirm: CONFIRM } };
}

/** A schema as it may be shown to an agent: what it accepts stays the same. */
function shown(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) =>
      keyword.startsWith('x-') ? [] : [[keyword, part(keyword, value)]],
    ),
  );
}

function part(keyword: string, value: unknown): unknown {
  if (TEXT.has(keyword) && typeof value === 'string') return escapeInvisible(value);
  if (LIST.has(keyword) && Array.isArray(value)) return value.map(schemaOrSame);
  if (ONE.has(keyword)) return schemaOrSame(value);
  if (!BY_NAME.has(keyword) || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, schemaOrSame(each)]));
}

/** `true` and `false` are schemas too. */
const schemaOrSame = (value: unknown): unknown => (isObject(value) ? shown(value) : value);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

import type { JsonSchema, SchemaCheck } from '@hcp/core';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats, { type FormatName } from 'ajv-formats';
import { RE2JS } from 're2js';
import { schemaProblem } from './schema-limits.js';

/** A value with more parts than this is refused unseen; the cost of a check is schema nodes times these. */
const MAX_VALUE_NODES = 20_000;
const MAX_VALUE_DEPTH = 64;
const FORMATS: FormatName[] = [
  'date',
  'time',
  'date-time',
  'duration',
  'uuid',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
];

/** Runs a pack's patterns in linear time: a backtracking one could stop the whole process for one call. */
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    // Ajv tells patterns apart by their text.
    return { test: (text: string) => compiled.test(text), toString: () => `/${pattern}/` };
  },
  { code: 'linearRegExp' },
);

const ajv = new Ajv2020({
  strictSchema: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  allowUnionTypes: true,
  ownProperties: true,
  addUsedSchema: false,
  logger: false,
  code: { regExp: linearRegExp },
});
formats.default(ajv, { formats: FORMATS, mode: 'fast' });
ajv.addVocabulary(['x-position', 'x-dash', 'x-switch']);

/** Compiled by schema object; a pack's objects live as long as its place in the facts cache. */
const compiled = new WeakMap<JsonSchema, ValidateFunction>();

/**
 * Why a command's args schema cannot be used, or null (SPEC P5). The reason names keywords, never content: it is shown
 * to the pack's author.
 */
export function argsSchemaProblem(schema: JsonSchema): string | null {
  const problem = schemaProblem(schema);
  if (problem) return problem;
  try {
    compile(schema);
    return null;
  } catch (error) {
    return `does not compile: ${(error as Error).message.slice(0, 300)}`;
  }
}

/**
 * Checks a value against a pack's JSON Schema (2020-12). Answers the first fault: a JSON pointer (`/amount`) and why,
 * without any part of the value (SPEC E3, 3b). A schema that cannot be used refuses every value.
 */
export const schemaCheck: SchemaCheck = (schema, value) => {
  const size = valueProblem(value);
  if (size) return { path: '/', why: size };
  let validate: ValidateFunction;
  try {
    validate = compiled.get(schema) ?? compileBounded(schema);
  } catch {
    return { path: '/', why: 'cannot be checked: the schema of the command is not usable' };
  }
  if (validate(value)) return null;
  const error = validate.errors?.[0];
  // Ajv keeps the errors, and with them parts of the value, until the next call.
  validate.errors = null;
  return error ? { path: pointer(error), why: why(error) } : { path: '/', why: 'is not valid' };
};

function compileBounded(schema: JsonSchema): ValidateFunction {
  const problem = schemaProblem(schema);
  if (problem) throw new Error(problem);
  return compile(schema);
}

function compile(schema: JsonSchema): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  try {
    const validate = ajv.compile(schema);
    compiled.set(schema, validate);
    return validate;
  } finally {
    // Ajv would hold it, and so every version of every pack, for the life of the process.
    ajv.removeSchema(schema);
  }
}

function valueProblem(value: unknown): string | null {
  let nodes = 0;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    nodes += level.length;
    if (nodes > MAX_VALUE_NODES) return `has more than ${MAX_VALUE_NODES} parts`;
    if (depth > MAX_VALUE_DEPTH) return `is more than ${MAX_VALUE_DEPTH} levels deep`;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      for (const child of Object.values(item)) next.push(child);
      if (next.length > MAX_VALUE_NODES) break;
    }
    level = next;
  }
  return null;
}

/** The place of the fault; a name that only the caller can have made up is left out unless it is plainly a name. */
function pointer(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>;
  const child = params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  const path = typeof child === 'string' ? `${error.instancePath}/${child}` : error.instancePath;
  const safe = path.split('/').map((part) => (/^[A-Za-z0-9_-]{0,64}$/.test(part) ? part : '*'));
  return safe.join('/') || '/';
}

function why(error: ErrorObject): string {
  switch (error.keyword) {
    case 'required':
    case 'dependentRequired':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'false schema':
      return 'is not an argument';
    case 'pattern':
      return 'must match its pattern';
    case 'propertyNames':
      return 'has a name that is not allowed';
    default:
      // These messages are made of the keyword and the schema's own limits.
      return error.message ?? 'is not valid';
  }
}

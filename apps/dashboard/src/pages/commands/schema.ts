import type { RJSFSchema, ValidatorType } from '@rjsf/utils';
import { escapeInvisible } from '@hcp/core';

/** A yes to a call. No form has them, whatever a pack declares: they are sent where a person said yes to the card. */
const YES_WORDS: ReadonlySet<string> = new Set(['confirm', 'apply']);

type Node = Readonly<Record<string, unknown>>;
export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The schema of a form: without the words that are a yes, without values that a pack would fill in, and with its texts as they
 * may be shown. A field is called what the argument is called, never what a pack titles it.
 */
export function formSchema(args: Record<string, unknown> | undefined): RJSFSchema {
  const schema = shown(args ?? {}, true);
  const properties = isNode(schema['properties']) ? schema['properties'] : {};
  const kept = Object.entries(properties).filter(([name]) => !YES_WORDS.has(name));
  const { required, ...rest } = schema;
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(kept) as NonNullable<RJSFSchema['properties']>,
    ...(Array.isArray(required) && { required: required.filter((name) => !YES_WORDS.has(String(name))) }),
  };
}

const SCHEMAS = new Set(['items', 'additionalProperties', 'not', 'contains', 'if', 'then', 'else', 'propertyNames']);
const LISTS = new Set(['oneOf', 'anyOf', 'allOf', 'prefixItems']);
const MAPS = new Set(['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']);

/** @param named its field has a name already */
function shown(schema: Node, named: boolean): Node {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'title' && named) continue;
    // A value that nobody chose would be sent as one that somebody did; the field shows it as a hint.
    if (key === 'default') out['x-default'] = value;
    else if (SCHEMAS.has(key) && isNode(value)) out[key] = shown(value, true);
    else if (LISTS.has(key) && Array.isArray(value))
      out[key] = value.map((each: unknown) => (isNode(each) ? shown(each, false) : each));
    else if (MAPS.has(key) && isNode(value)) out[key] = shownEach(value);
    else if ((key === 'title' || key === 'description') && typeof value === 'string') out[key] = escapeInvisible(value);
    else out[key] = value;
  }
  return out;
}

function shownEach(map: Node): Node {
  const entries = Object.entries(map).map(([name, each]): [string, unknown] => {
    if (!isNode(each)) return [name, each];
    const plain = escapeInvisible(name);
    return [name, plain === name ? shown(each, true) : { ...shown(each, true), title: plain }];
  });
  return Object.fromEntries(entries);
}

/**
 * What of a schema no form can show, or null where one can: then the arguments are written as JSON. Says it in words.
 */
export function noForm(schema: unknown, depth = 0): string | null {
  if (!isNode(schema)) return null;
  if (depth > 12) return 'it is nested deeper than a form can show';
  for (const key of ['if', 'dependentSchemas', 'patternProperties', 'prefixItems', 'allOf']) {
    if (schema[key] !== undefined) return `its schema uses ${key}`;
  }
  if (Array.isArray(schema['type']) && schema['type'].filter((type) => type !== 'null').length > 1) {
    return 'a value of it may be of several types';
  }
  const typed = ['type', 'enum', 'const', 'oneOf', 'anyOf', '$ref', 'properties'].some(
    (key) => schema[key] !== undefined,
  );
  if (!typed && depth > 0) return 'a value of it may be anything';
  if (schema['type'] === 'array' && !isNode(schema['items'])) return 'the items of a list may be anything';
  const inner: unknown[] = [schema['items'], schema['additionalProperties']];
  for (const key of ['oneOf', 'anyOf'])
    if (Array.isArray(schema[key])) inner.push(...(schema[key] as unknown[]).map(alternative));
  for (const key of ['properties', '$defs', 'definitions'])
    if (isNode(schema[key])) inner.push(...Object.values(schema[key]));
  for (const each of inner) {
    const why = noForm(each, depth + 1);
    if (why !== null) return why;
  }
  return null;
}

/** An alternative may leave its type to the schema around it. */
const alternative = (schema: unknown): unknown =>
  isNode(schema) && schema['type'] === undefined ? { type: 'object', ...schema } : schema;

/**
 * Judges nothing: whether arguments are valid is said by the API, by its preview and by the call itself, with one validator
 * for everyone. One in the page would also need code made from text, which the content security policy refuses.
 */
export const askTheApi: ValidatorType<Record<string, unknown>> = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  isValid: () => true,
  rawValidation: () => ({}),
};

import { z } from 'zod';

/** A schema and the named schemas it refers to, ready for an OpenAPI 3.1 document. */
export interface OpenApiSchema {
  readonly schema: Record<string, unknown>;
  readonly components: Record<string, Record<string, unknown>>;
}

const REF = '#/$defs/';

/** JSON Schema 2020-12 of a contract, with `.meta({ id })` schemas as components. `io`: request (input) or answer (output). */
export function openApiSchema(schema: z.ZodType, io: 'input' | 'output'): OpenApiSchema {
  const id = z.globalRegistry.get(schema)?.id;
  // Wrapped, so that the root too becomes a reference when it has a name.
  const document = z.toJSONSchema(z.object({ root: schema }), { target: 'draft-2020-12', io, unrepresentable: 'any' });
  const definitions = (document.$defs ?? {}) as OpenApiSchema['components'];
  const root = (document.properties as Record<string, Record<string, unknown>>)['root'] ?? {};
  const components = Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => [name, tidy(definition) as Record<string, unknown>]),
  );
  return {
    schema: id === undefined ? (tidy(root) as Record<string, unknown>) : { $ref: `#/components/schemas/${id}` },
    components,
  };
}

/**
 * Points references at the components, drops the `id` that zod repeats inside a definition, and the long expressions that
 * only repeat what `format` says.
 */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  const node = value as Record<string, unknown>;
  const out: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(node)) {
    if (key === '$ref' && typeof child === 'string') out[key] = child.replace(REF, '#/components/schemas/');
    else if (key === 'properties') out[key] = mapValues(child as Record<string, unknown>);
    else if (key !== 'id' && !(key === 'pattern' && 'format' in node)) out[key] = tidy(child);
  }
  return out;
}

/** Under `properties` the keys are names of fields, so an `id` there stays. */
function mapValues(properties: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, tidy(child)]));
}

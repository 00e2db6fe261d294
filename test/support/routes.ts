import { ROUTES, type OperationId, type Route } from '@hcp/contracts';
import { z } from 'zod';

export type Where = 'path' | 'query' | 'body';

/** A place of a request where a caller writes something. */
export interface Slot {
  readonly operation: OperationId;
  readonly route: Route;
  readonly where: Where;
  /** Dotted for nested ones; `[]` stands for any item of a list. */
  readonly name: string;
  /** `runs_get path.id`: what a test's table is keyed by. */
  readonly key: string;
}

export const routes = Object.entries(ROUTES) as readonly [OperationId, Route][];

export const pathParams = (path: string): string[] => [...path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => name);

/** The path with its parameters filled in, each as it is. */
export const fillPath = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replaceAll(/:([a-z_]+)/g, (whole, name: string) => values[name] ?? whole).replace('*', values['*'] ?? '*');

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** The JSON Schema of a route's query or JSON body; null where it takes none. */
export function schemaOf(route: Route, where: 'query' | 'body'): Schema | null {
  const schema = route[where];
  if (schema === undefined || typeof schema === 'string') return null;
  const whole = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema & {
    $defs?: Record<string, Schema>;
  };
  // Schemas with a name of their own stand under $defs.
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref } = value as Schema;
    if ($ref?.startsWith('#/$defs/')) return inline(whole.$defs?.[$ref.slice('#/$defs/'.length)]);
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, part]) => (key === '$defs' ? [] : [[key, inline(part)]])),
    );
  };
  return inline(whole) as Schema;
}

function namesIn(schema: Schema, prefix = ''): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = prefix + name;
    // One that may also be null is no less a place.
    const inner = [property, ...(property.anyOf ?? [])].flatMap((part) => [
      ...(part.items?.properties ? namesIn(part.items, `${path}[].`) : []),
      ...namesIn(part, `${path}.`),
    ]);
    return [...new Set([path, ...inner])];
  });
}

/** Everything that any route takes, from the contracts table. */
export function slots(): Slot[] {
  return routes.flatMap(([operation, route]) => {
    const slot =
      (where: Where) =>
      (name: string): Slot => ({ operation, route, where, name, key: `${operation} ${where}.${name}` });
    const query = schemaOf(route, 'query');
    const body = schemaOf(route, 'body');
    return [
      ...pathParams(route.path).map(slot('path')),
      ...(query ? namesIn(query) : []).map(slot('query')),
      ...(body ? namesIn(body) : []).map(slot('body')),
    ];
  });
}

/** Bounds on a command's args schema, so that checking a call costs little whoever wrote the schema. */
export const SCHEMA_LIMITS = { bytes: 65_536, depth: 24, nodes: 2_000, unique_items: 1_000 } as const;

/** Keywords that name other schemas, give this one an address or make it asynchronous. */
const FORBIDDEN = new Set([
  '$id',
  'id',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$async',
  '$data',
]);
/** Their members are names chosen by the author, not keywords. */
const NAME_MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Their content is data. */
const DATA = new Set(['const', 'enum', 'default', 'examples', 'required', 'dependentRequired']);
const LOCAL_REF = /^#\/(\$defs|definitions)\/([A-Za-z0-9_-]{1,64})$/;

type Node = Readonly<Record<string, unknown>>;

/**
 * Why a schema is refused; null when it is within bounds. A `$ref` may only name a `$defs` entry that has no `$ref`
 * itself: chained ones make checks exponential, recursive ones make them as deep as the caller likes.
 */
export function schemaProblem(schema: unknown): string | null {
  if (!isNode(schema)) return 'is no object';
  if (JSON.stringify(schema).length > SCHEMA_LIMITS.bytes) return `is over ${SCHEMA_LIMITS.bytes} bytes`;
  const walk = new Walk();
  const problem = walk.schema(schema, 0);
  if (problem) return problem;
  let nodes = walk.nodes;
  for (const ref of walk.refs) {
    const [, map, name] = LOCAL_REF.exec(ref) ?? [];
    const target = map && name ? own(own(schema, map), name) : undefined;
    if (!isNode(target)) return '$ref may only name an entry of $defs';
    const inner = new Walk();
    const inner_problem = inner.schema(target, 0);
    if (inner_problem) return inner_problem;
    if (inner.refs.length > 0) return '$ref may not lead to another $ref';
    nodes += inner.nodes;
  }
  return nodes > SCHEMA_LIMITS.nodes ? `has more than ${SCHEMA_LIMITS.nodes} nodes` : null;
}

class Walk {
  nodes = 0;
  readonly refs: string[] = [];

  schema(node: unknown, depth: number): string | null {
    if (depth > SCHEMA_LIMITS.depth) return `is more than ${SCHEMA_LIMITS.depth} levels deep`;
    this.nodes += 1;
    if (Array.isArray(node)) return first(node, (item) => this.schema(item, depth + 1));
    if (!isNode(node)) return null;
    if (node['uniqueItems'] === true && !(Number(node['maxItems']) <= SCHEMA_LIMITS.unique_items)) {
      return `uniqueItems needs maxItems of at most ${SCHEMA_LIMITS.unique_items}`;
    }
    return first(Object.entries(node), ([key, value]) => this.#keyword(key, value, depth));
  }

  #keyword(key: string, value: unknown, depth: number): string | null {
    if (FORBIDDEN.has(key)) return `${key} is not supported`;
    if (key === '$ref') {
      this.refs.push(String(value));
      return null;
    }
    if (DATA.has(key)) {
      this.nodes += Array.isArray(value) ? value.length : 1;
      return null;
    }
    if (NAME_MAPS.has(key) && isNode(value))
      return first(Object.values(value), (inner) => this.schema(inner, depth + 1));
    return isNode(value) || Array.isArray(value) ? this.schema(value, depth + 1) : null;
  }
}

function first<T>(items: readonly T[], problem: (item: T) => string | null): string | null {
  for (const item of items) {
    const found = problem(item);
    if (found) return found;
  }
  return null;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(node: unknown, key: string): unknown {
  return isNode(node) && Object.hasOwn(node, key) ? node[key] : undefined;
}

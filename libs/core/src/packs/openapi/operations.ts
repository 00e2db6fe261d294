/** A JSON object of the document. */
export type Node = Readonly<Record<string, unknown>>;

/** One operation of an OpenAPI document and where it stands. */
export interface Operation {
  readonly operation_id: string;
  readonly method: string;
  readonly path: string;
  readonly path_item: Node;
  readonly operation: Node;
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const;

/** The operations that have an operationId, in the document's order. Members of `paths` that are no paths are none. */
export function operationsOf(document: unknown): Operation[] {
  return Object.entries(node(own(document, 'paths')) ?? {}).flatMap(([path, item]) => {
    const path_item = node(item);
    // Behind the server without a `/`, the name of an extension would be another server's name.
    if (path_item === null || !path.startsWith('/')) return [];
    return METHODS.flatMap((method) => {
      const operation = node(own(path_item, method));
      const operation_id = own(operation, 'operationId');
      if (operation === null || typeof operation_id !== 'string') return [];
      return [{ operation_id, method: method.toUpperCase(), path, path_item, operation }];
    });
  });
}

/**
 * Finds the operation of a command (SPEC W7): the one it names, else the one of its own name, else the only one whose name
 * has the same letters and digits (`get-pet`, `pets.get_pet` and `getPet` differ in writing alone or not at all).
 */
export function operationFinder(
  operations: readonly Operation[],
): (verb_key: string, operation_id: string | undefined) => Operation | null {
  const exact = new Map<string, Operation[]>();
  const like = new Map<string, Operation[]>();
  // Read once: a document may have as many operations as a pack has commands, and both are without number.
  for (const each of operations) {
    add(exact, each.operation_id, each);
    add(like, letters(each.operation_id), each);
  }
  const only = (found: readonly Operation[] = []): Operation | null => (found.length === 1 ? (found[0] ?? null) : null);
  return (verb_key, operation_id) => {
    const found = exact.get(operation_id ?? verb_key);
    return found || operation_id !== undefined ? only(found) : only(like.get(letters(verb_key)));
  };
}

function add(map: Map<string, Operation[]>, key: string, operation: Operation): void {
  const found = map.get(key);
  if (found) found.push(operation);
  else map.set(key, [operation]);
}

/** What two ways of writing one name have in common. */
export const letters = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** An object, and no array. */
export const node = (value: unknown): Node | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : null;

/** A member of its own; nothing inherited. */
export const own = (value: unknown, name: string): unknown => {
  const object = node(value);
  return object !== null && Object.hasOwn(object, name) ? object[name] : undefined;
};

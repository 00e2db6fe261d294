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

/** The operations that have an operationId, in the document's order. */
export function operationsOf(document: unknown): Operation[] {
  return Object.entries(node(own(document, 'paths')) ?? {}).flatMap(([path, item]) => {
    const path_item = node(item);
    if (path_item === null) return [];
    return METHODS.flatMap((method) => {
      const operation = node(own(path_item, method));
      const operation_id = own(operation, 'operationId');
      if (operation === null || typeof operation_id !== 'string') return [];
      return [{ operation_id, method: method.toUpperCase(), path, path_item, operation }];
    });
  });
}

/**
 * The operation of a command (SPEC W7): the one it names, else the one of its own name, else the only one whose name has
 * the same letters and digits (`get-pet`, `pets.get_pet` and `getPet` differ in writing alone or not at all).
 */
export function findOperation(
  operations: readonly Operation[],
  verb_key: string,
  operation_id: string | undefined,
): Operation | null {
  const wanted = operation_id ?? verb_key;
  const exact = operations.filter((each) => each.operation_id === wanted);
  if (exact.length > 0 || operation_id !== undefined) return exact.length === 1 ? (exact[0] ?? null) : null;
  const like = operations.filter((each) => letters(each.operation_id) === letters(verb_key));
  return like.length === 1 ? (like[0] ?? null) : null;
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

/** A JSON object of an OpenAPI document. */
export type Node = Readonly<Record<string, unknown>>;

/** An object, and no array. */
export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text of an address, where it is one. */
export const textIn = <K extends string>(search: Record<string, unknown>, name: K): Partial<Record<K, string>> =>
  typeof search[name] === 'string' ? ({ [name]: search[name] } as Partial<Record<K, string>>) : {};

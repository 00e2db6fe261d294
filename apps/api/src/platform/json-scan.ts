import { numberRoundTrips, POLLUTING_KEYS } from '@hcp/core';

/** Nesting beyond this is refused: no honest request comes near. */
export const MAX_JSON_DEPTH = 64;

/** What is wrong with a JSON text, and where: keys and indexes from the root on, none for the whole. */
export interface JsonFinding {
  readonly path: readonly (string | number)[];
  readonly why: string;
}

interface Container {
  /** Null in an array. */
  readonly keys: Set<string> | null;
  /** The key or index of the member being read. */
  at: string | number;
  expects_key: boolean;
}

// One token: punctuation; string; number; literal. The text is known to be well-formed.
const TOKEN = /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|(-?[0-9][0-9.eE+-]*)|true|false|null)/y;

/**
 * Finds what JSON.parse lets through and two readers could take differently (SPEC E2, E4): duplicate keys at any depth
 * and even when their values are equal, keys that pollute prototypes, numbers that a double cannot hold, nesting without
 * end. Libraries were weighed: lossless-json lets equal duplicates pass and recurses, secure-json-parse names no path.
 * @param text a text that JSON.parse accepted
 */
export function scanJson(text: string): JsonFinding | null {
  const stack: Container[] = [];
  const path = (): (string | number)[] => stack.map((container) => container.at);
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const [, punctuation, string, number] = match;
    const top = stack.at(-1);
    if (punctuation === '{' || punctuation === '[') {
      if (stack.length >= MAX_JSON_DEPTH)
        return { path: path(), why: `is nested deeper than ${MAX_JSON_DEPTH} levels` };
      const object = punctuation === '{';
      stack.push({ keys: object ? new Set() : null, at: object ? '' : 0, expects_key: object });
    } else if (punctuation === '}' || punctuation === ']') {
      stack.pop();
    } else if (punctuation === ',' && top) {
      if (top.keys) top.expects_key = true;
      else top.at = Number(top.at) + 1;
    } else if (string !== undefined && top?.keys && top.expects_key) {
      // Escapes are one more way to write the same key.
      const key = JSON.parse(string) as string;
      const duplicate = top.keys.has(key);
      top.keys.add(key);
      top.at = key;
      top.expects_key = false;
      if (duplicate) return { path: path(), why: 'is there twice' };
      if (POLLUTING_KEYS.has(key)) return { path: path(), why: 'is a key that is not allowed' };
    } else if (number !== undefined && !numberRoundTrips(number)) {
      return { path: path(), why: 'is a number that does not round-trip; send it as a string' };
    }
  }
  return null;
}

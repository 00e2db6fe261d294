import { isFaithfulNumber } from '../text/decimal.js';
import { isWellFormed, nameForError } from '../text/unicode.js';

/** Deeper than any sensible argument; keeps every later walk over the values from exhausting the stack. */
export const MAX_DEPTH = 32;

/** Keys that change an object's prototype in careless code; refused wherever a caller sends them (SPEC E2). */
export const POLLUTING_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export interface BadValue {
  readonly path: string;
  readonly why: string;
}

type Judge = (value: unknown, key: string) => string | null;

/** The first value that no command may get, whatever its schema: NUL, broken Unicode, inexact numbers (SPEC E4, W4). */
export function findBadValue(args: unknown): BadValue | null {
  return walk(args, (value) => {
    if (typeof value === 'number') return isFaithfulNumber(value) ? null : 'is a number that does not round-trip';
    if (typeof value === 'string') {
      if (value.includes('\u0000')) return 'holds a NUL character';
      return isWellFormed(value) ? null : 'is not well-formed Unicode';
    }
    const json = value === null || typeof value === 'boolean' || typeof value === 'object';
    return json ? null : 'is no JSON value';
  });
}

/** The first key that could change a prototype, or the first value below `MAX_DEPTH`. */
export function findBadShape(value: unknown): BadValue | null {
  return walk(value, (_, key) => (POLLUTING_KEYS.has(key) ? 'is a key that is not allowed' : null));
}

/** Depth first without recursion: a caller chooses how deep the value is. */
function walk(root: unknown, judge: Judge): BadValue | null {
  const open: { value: unknown; key: string; path: string; depth: number }[] = [
    { value: root, key: '', path: '', depth: 0 },
  ];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { value, key, path, depth } = node;
    const why = judge(value, key);
    if (why !== null) return { path, why };
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_DEPTH) return { path, why: `is nested deeper than ${MAX_DEPTH} levels` };
    for (const [name, child] of Object.entries(value).reverse()) {
      const shown = nameForError(name);
      open.push({ value: child, key: name, path: path === '' ? shown : `${path}.${shown}`, depth: depth + 1 });
    }
  }
  return null;
}

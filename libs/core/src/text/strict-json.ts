import { nameForError } from './unicode.js';
import { numberRoundTrips } from './decimal.js';

export type StrictJson = { ok: true; value: unknown } | { ok: false; path: string; why: string };

export interface StrictJsonOptions {
  /** Levels of nesting; 64 by default. */
  readonly max_depth?: number;
  /** Refuses numbers that a double changes; true by default. */
  readonly exact_numbers?: boolean;
}

/**
 * JSON in which nothing is read in two ways: no key twice in one object, no number that a double changes, nesting up
 * to `max_depth` levels (SPEC E2, E4). `path` is dotted, empty for the whole text; `why` holds no value.
 */
export function parseStrictJson(text: string, options: StrictJsonOptions = {}): StrictJson {
  const finding = scan(text, options.max_depth ?? 64, options.exact_numbers ?? true);
  try {
    const value = JSON.parse(text) as unknown;
    return finding === null ? { ok: true, value } : { ok: false, ...finding };
  } catch {
    // What the scan saw in broken text means nothing, unless it stopped before the end for depth.
    return finding?.why.startsWith('is nested')
      ? { ok: false, ...finding }
      : { ok: false, path: '', why: 'is not JSON' };
  }
}

interface Frame {
  /** Keys so far; null in an array. */
  readonly keys: Set<string> | null;
  /** Where the scan is: the last key or index. */
  at: string;
  /** The next string is a key. */
  key_next: boolean;
}

const NUMBER = /-?[0-9][0-9.eE+-]*/y;

/** One pass over the tokens. Text that is no JSON may come to any finding; the caller asks JSON.parse. */
function scan(text: string, max_depth: number, exact: boolean): { path: string; why: string } | null {
  const stack: Frame[] = [];
  const here = (): string => stack.map((frame) => nameForError(frame.at)).join('.');
  for (let i = 0; i < text.length;) {
    const char = text[i] ?? '';
    const top = stack[stack.length - 1];
    if (char === '"' || char === '-' || (char >= '0' && char <= '9')) {
      const token = char === '"' ? stringAt(text, i) : numberAt(text, i);
      if (token === null) return null;
      if (char !== '"') {
        if (exact && !numberRoundTrips(token)) return { path: here(), why: 'is a number that does not round-trip' };
      } else if (top?.keys && top.key_next) {
        const key = decode(token);
        if (key === null) return null;
        top.at = key;
        top.key_next = false;
        if (top.keys.has(key)) return { path: here(), why: 'is there twice' };
        top.keys.add(key);
      }
      i += token.length;
      continue;
    }
    if (char === '{' || char === '[') {
      if (stack.length >= max_depth) return { path: here(), why: `is nested deeper than ${max_depth} levels` };
      stack.push(char === '{' ? { keys: new Set(), at: '', key_next: true } : { keys: null, at: '0', key_next: false });
    } else if (char === '}' || char === ']') {
      stack.pop();
    } else if (char === ',' && top !== undefined) {
      if (top.keys === null) top.at = String(Number(top.at) + 1);
      else top.key_next = true;
    }
    i++;
  }
  return null;
}

function numberAt(text: string, at: number): string | null {
  NUMBER.lastIndex = at;
  return NUMBER.exec(text)?.[0] ?? null;
}

/** By hand: on a string of megabytes a regular expression's backtracking runs out of stack. */
function stringAt(text: string, at: number): string | null {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return text.slice(at, i + 1);
  }
  return null;
}

/** Keys compare decoded: `"\u0061"` is `"a"`. */
function decode(token: string): string | null {
  try {
    return JSON.parse(token) as string;
  } catch {
    return null;
  }
}

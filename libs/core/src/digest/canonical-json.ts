import { isWellFormed } from '../text/unicode.js';

/**
 * RFC 8785 (JSON Canonicalization Scheme): one text for one JSON value, so that digests agree.
 * Members that are `undefined` are left out, as JSON does.
 * @throws TypeError for what is no I-JSON: NaN, infinities, lone surrogates, functions, dates, cycles.
 */
export function canonicalJson(value: unknown): string {
  return write(value, new Set());
}

function write(value: unknown, open: Set<object>): string {
  switch (typeof value) {
    case 'boolean':
      return String(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError('canonical JSON has no NaN or Infinity');
      return JSON.stringify(value);
    case 'string':
      return text(value);
    case 'object':
      return value === null ? 'null' : container(value, open);
    default:
      throw new TypeError(`canonical JSON has no ${typeof value}`);
  }
}

function container(value: object, open: Set<object>): string {
  if (open.has(value)) throw new TypeError('canonical JSON has no cycles');
  open.add(value);
  const written = Array.isArray(value) ? array(value, open) : object(value, open);
  open.delete(value);
  return written;
}

function array(items: readonly unknown[], open: Set<object>): string {
  // Not map(): it would skip holes and join() would write them as nothing.
  const written: string[] = [];
  for (const item of items) written.push(write(item, open));
  return `[${written.join(',')}]`;
}

function object(value: object, open: Set<object>): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError('canonical JSON has plain objects only');
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1)) // by UTF-16 code units, as RFC 8785 3.2.3 wants
    .map(([name, member]) => `${text(name)}:${write(member, open)}`);
  return `{${members.join(',')}}`;
}

function text(value: string): string {
  if (!isWellFormed(value)) throw new TypeError('canonical JSON has no lone surrogates');
  return JSON.stringify(value);
}

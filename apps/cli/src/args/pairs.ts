import { usage } from '../failure.js';

/** Control words that mean a yes; `mode` stays a text (SPEC I3). */
const YES_WORDS = new Set(['confirm', 'apply']);

/** `key=value` words as arguments: every value stays a text, except that confirm and apply become booleans. */
export function argsFromPairs(words: readonly string[]): Record<string, unknown> {
  const args = new Map<string, unknown>();
  for (const [index, word] of words.entries()) {
    const split = word.indexOf('=');
    // The word itself is not repeated: it may be a secret.
    if (split < 1) throw usage(`argument ${index + 1} is not key=value`, 'Write arguments as -- key=value key=value.');
    const name = word.slice(0, split);
    if (args.has(name)) throw usage(`argument ${name} is given twice`, 'Give each argument once.');
    args.set(name, controlValue(name, word.slice(split + 1)));
  }
  return Object.fromEntries(args);
}

/** A JSON object as arguments, from --args-json or --args-file. */
export function argsFromJson(text: string, source: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usage(`${source} is not JSON`, 'Give one JSON object, such as {"amount": "2.80"}.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usage(`${source} is not a JSON object`, 'Give one JSON object, such as {"amount": "2.80"}.');
  }
  return value as Record<string, unknown>;
}

function controlValue(name: string, value: string): unknown {
  if (!YES_WORDS.has(name)) return value;
  if (value === 'true') return true;
  return value === 'false' ? false : value;
}

import type { CreateAccessRule } from '@hcp/contracts';
import { numberRoundTrips } from '@hcp/core';
import { usage } from '../failure.js';

/** The conditions of a rule from `--when k=v --max k=n --min k=n`; null for none (SPEC A3). */
export function conditionsFrom(options: {
  readonly when: readonly string[];
  readonly max: readonly string[];
  readonly min: readonly string[];
}): NonNullable<CreateAccessRule['when']> | null {
  const args = record('--when', options.when, (text) => text);
  const max = record('--max', options.max, plainNumber);
  const min = record('--min', options.min, plainNumber);
  if (args === null && max === null && min === null) return null;
  return { ...(args && { args }), ...(max && { max }), ...(min && { min }) };
}

function record<T>(
  option: string,
  words: readonly string[],
  read: (text: string, option: string) => T,
): Record<string, T> | null {
  if (words.length === 0) return null;
  const found = new Map<string, T>();
  for (const word of words) {
    const split = word.indexOf('=');
    if (split < 1) throw usage(`${option} is key=value`, `For example ${option} amount=5.`);
    const name = word.slice(0, split);
    if (found.has(name)) throw usage(`${option} names an argument twice`, 'Name each argument once.');
    found.set(name, read(word.slice(split + 1), option));
  }
  return Object.fromEntries(found);
}

/** As a double holds it exactly: a limit that was rounded would be another one. */
function plainNumber(text: string, option: string): number {
  const value = Number(text);
  if (/^-?\d+(\.\d+)?$/.test(text) && numberRoundTrips(text)) return value;
  throw usage(`${option} takes a plain decimal number`, `For example ${option} amount=5.`);
}

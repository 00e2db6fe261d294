import { PAYING_WORDS } from '../../views/default-rules.js';
import { wordsOf } from '../../views/infer.js';
import type { PolicyRow } from '../policy.js';
import { ASKING, READING, WRITING } from './words.js';

/** Nouns too, as in `payments.list`. */
const PAYING = PAYING_WORDS.filter((word) => !word.endsWith('s'));

/**
 * Whether a command reads, and whether it asks, by its name. A word that is not known writes and asks: a person who knows
 * better says so, and nothing has run before.
 * @param wants_consent the program itself has a switch for a yes
 */
export function classify(verb_key: string, wants_consent: boolean): Pick<PolicyRow, 'operation' | 'confirm'> {
  const words = wordsOf(verb_key);
  const any = (list: { has(word: string): boolean }): boolean => words.some((word) => list.has(word));
  const pays = words.some((word) => PAYING.includes(word));
  const ends = [words[0] ?? '', words.at(-1) ?? '', verb_key];
  if (!pays && !wants_consent && ends.some((word) => READING.has(word)) && !any(WRITING) && !any(ASKING)) {
    return { operation: 'read', confirm: false };
  }
  if (words.some((word) => PAYING_WORDS.includes(word))) return { operation: 'write', confirm: 'always' };
  return { operation: 'write', confirm: wants_consent || any(ASKING) || !any(WRITING) };
}

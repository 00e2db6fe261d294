import { isControlWord } from '../../args/control.js';
import { ARG_NAME, VERB_KEY } from '../surface.js';

/** `cache:clear` is cache.clear; what no name may hold becomes a dash. */
export function verbKeyOf(words: readonly string[]): string {
  const parts = words.flatMap((word) => word.toLowerCase().split(/[.:/]+/)).map(partOf);
  const key = parts.filter(Boolean).slice(0, 4).join('.');
  return VERB_KEY.test(key) ? key : 'run';
}

function partOf(word: string): string {
  const plain = word.replace(/[^a-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '');
  return (/^[a-z]/.test(plain) || plain === '' ? plain : `x-${plain}`).slice(0, 63);
}

/** An argument's name for `--node-id` or `<Node ID>`; one of those taken gets a number. */
export function argNameOf(text: string, taken: ReadonlySet<string>): string {
  const plain = text
    .replace(/^-+/, '')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
    .slice(0, 50);
  const start = ARG_NAME.test(plain) ? plain : `option_${plain}`.replace(/_$/, '');
  // A control word would speak to the runtime.
  const name = isControlWord(start) ? `${start}_value` : start;
  for (let n = 1; ; n++) {
    const free = n === 1 ? name : `${name}_${n}`;
    if (!taken.has(free)) return free;
  }
}

import { looksSecret } from '../check/allow-lists.js';
import type { JsonSchema } from '../surface.js';
import { prose } from './clean.js';
import type { HelpOption } from './help-page.js';
import { listIn } from './option-spec.js';
import { INTEGERS, LEFT_OUT_OPTIONS, NUMBERS } from './words.js';

/** The JSON Schema of a value, from what stands for it and what is said of it. */
export function valueSchema(value: string, description: string, repeated: boolean): JsonSchema {
  const values = valuesOf(value, description);
  const text = prose(repeated ? `${description} One of what may be several.` : description, 500);
  return {
    ...(values === null ? { type: typeOf(value) } : { type: 'string', enum: values }),
    ...(text === '' ? {} : { description: text }),
  };
}

function typeOf(value: string): 'integer' | 'number' | 'string' {
  const [word = ''] = value.toLowerCase().split(' ');
  if (INTEGERS.has(word)) return 'integer';
  return NUMBERS.has(word) ? 'number' : 'string';
}

const SAID = [
  /\[possible values: ([^\]]+)\]/i,
  /\(choices: ([^)]+?)(?:, default[^)]*)?\)/i,
  /\bone of:? ((?:["'`]?[A-Za-z0-9_.+-]+["'`]?(?:, (?:or )?| or |\|))+["'`]?[A-Za-z0-9_+-]+["'`]?)/i,
];

/** The values that are named, in the place of the value or in the description. */
export function valuesOf(value: string, description: string): string[] | null {
  const placed = listIn(value);
  // In capitals it is two names of one value (`NAME|ID`).
  if (placed?.some((each) => each !== each.toUpperCase() || /^\d/.test(each)) === true) return placed;
  for (const pattern of SAID) {
    const said = pattern.exec(description)?.[1];
    const list = said === undefined ? null : listIn(said.replace(/,? or /g, ', '));
    if (list !== null) return list;
  }
  return null;
}

/** The spelling that a draft uses: the first long one. */
export const mainName = ({ names }: Pick<HelpOption, 'names'>): string =>
  names.find((name) => name.startsWith('--')) ?? names.find((name) => name.length > 2) ?? names[0] ?? '';

export const bareName = (name: string): string => name.replace(/^-+/, '');

/** Why a draft leaves the option out, empty where it needs no word; null: it does not. */
export function leftOut(option: Pick<HelpOption, 'names' | 'value'>): string | null {
  const names = option.names.map(bareName);
  if (option.value !== null && (names.some(looksSecret) || /passw|passphrase|secret/i.test(option.value))) {
    return 'they take secrets, which are no arguments: bind them (binding.env)';
  }
  const long = names.filter((name) => name.length > 1);
  // A single letter says little: nothing where a longer spelling is there, or a value.
  const told = long.length > 0 || option.value !== null ? long : names;
  return LEFT_OUT_OPTIONS.find(([, list]) => told.some((name) => list.has(name)))?.[0] ?? null;
}

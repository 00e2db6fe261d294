import { usage } from '../failure.js';

/** Options of `hcpx` itself that take a value. */
const LEADING = ['url', 'session', 'project'];
/** Those that may stand in a pack's command line too. Never the address: a command's own `--url` would get the token. */
const SHARED = ['session', 'project'] as const;
type Shared = (typeof SHARED)[number];

/** How many leading words are options of `hcpx`: `--json --url x commands` has three. */
export function leadingOptions(argv: readonly string[]): number {
  let at = 0;
  for (;;) {
    const word = argv[at] ?? '';
    if (word === '--json' || LEADING.some((name) => word.startsWith(`--${name}=`))) at += 1;
    else if (LEADING.some((name) => word === `--${name}`)) at += 2;
    else break;
  }
  return Math.min(at, argv.length);
}

/**
 * Takes the options of `hcpx` out of a pack's own command line, up to `--`. A name that the command declares itself is
 * the command's.
 */
export function takeShared(
  words: readonly string[],
  declared: (name: string) => boolean,
): { rest: string[]; options: Partial<Record<Shared, string>> } {
  const rest: string[] = [];
  const options: Partial<Record<Shared, string>> = {};
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    if (word === '--') return { rest: [...rest, ...words.slice(i)], options };
    const name = SHARED.find((each) => (word === `--${each}` || word.startsWith(`--${each}=`)) && !declared(each));
    if (name === undefined) rest.push(word);
    else {
      if (options[name] !== undefined) throw usage(`--${name} is given twice`, 'Give it once.');
      const value = word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[++i];
      if (value === undefined || value === '') throw usage(`--${name} takes a value`, `For example --${name}=VALUE.`);
      options[name] = value;
    }
  }
  return { rest, options };
}

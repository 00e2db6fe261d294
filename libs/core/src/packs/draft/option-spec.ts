import type { HelpOption } from './help-page.js';

type Spec = Pick<HelpOption, 'names' | 'value' | 'repeated'>;

const NAME = /^--?(?:\[no-?\])?[A-Za-z0-9?@#](?:[A-Za-z0-9_?-]|\.(?=[A-Za-z0-9]))*/;
/** `<file>`, `[file]`, `{a,b}`, `(a|b)`, `FILE`, each perhaps with `...`. */
const BRACKETED =
  /^(?:(?:INTEGER|FLOAT) RANGE|<[^>\n]{1,80}>|\[[^\]\n]{1,80}\]|\{[^}\n]{1,120}\}|\([^)\s]{1,80}\)|[A-Z][A-Z0-9_|=:-]*(?![a-z]))(?:\.\.\.)?/;
const WORD = /^[A-Za-z][A-Za-z0-9_|:=/-]*(?:\.\.\.)?/;

/**
 * Reads what stands at the head of an option's row, such as `-f, --file <path>` or `--name string`, and where it ends.
 * Null where the text begins with no option.
 */
export function readOptionSpec(text: string): { spec: Spec; length: number } | null {
  const names: string[] = [];
  let value: string | null = null;
  let repeated = false;
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    const [found] = pattern.exec(text.slice(at)) ?? [];
    if (found === undefined) return null;
    at += found.length;
    return found;
  };
  const took = (raw: string | null): void => {
    if (raw === null) return;
    repeated ||= raw.includes('...');
    value ??= bare(raw);
  };
  for (;;) {
    const name = take(NAME);
    if (name === null) break;
    names.push(name.replace(/\[no-?\]/, ''));
    if (take(/^\.\.\./) !== null) repeated = true;
    // `--file=PATH`, `--file[=PATH]`; an `=` with nothing behind it takes the value of the next spelling.
    const joined = take(/^\[=?[^\]\s]{1,80}\](?:\.\.\.)?/) ?? take(/^=(?:<[^>\n]+>|\{[^}\n]+\}|\[[^\]\n]+\]|[^\s,]*)/);
    if (joined !== null) took(joined.replace(/^\[=?|^=|\]$/g, ''));
    else took(takeSpaced());
    if (take(/^ ?(?:,|\||\/) ?(?=-)/) === null && take(/^ or (?=-)/) === null && take(/^ (?=--)/) === null) break;
  }
  if (names.length === 0) return null;
  return { spec: { names, value: value === '' ? 'value' : value, repeated }, length: at };

  function takeSpaced(): string | null {
    if (!/^ [^ ]/.test(text.slice(at))) return null;
    const start = at;
    at += 1;
    const found = take(BRACKETED);
    if (found !== null) return found;
    // A plain word is a value only where the columns say so: two blanks, another spelling or the end behind it.
    const word = take(WORD);
    if (word !== null && /^(?: {2}|,|$)/.test(text.slice(at))) return word;
    at = start;
    return null;
  }
}

const bare = (raw: string): string =>
  raw
    .replace(/\.\.\./g, '')
    .replace(/^[<[({]+|[>\])}]+$/g, '')
    .trim();

/** Names of a list such as `{a,b}`, `a|b`; null where it is no list of plain words. */
export function listIn(text: string): string[] | null {
  const parts = text.split(/[,|]/).map((part) => part.trim().replace(/^["'`]|["'`]$/g, ''));
  const plain =
    parts.length > 1 && parts.length <= 50 && parts.every((part) => /^[A-Za-z0-9][A-Za-z0-9_.:+-]*$/.test(part));
  return plain && new Set(parts).size === parts.length ? parts : null;
}

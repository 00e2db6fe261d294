import type { HelpOption } from './help-page.js';
import { listIn, readOptionSpec } from './option-spec.js';

/** One thing of a command line's form, in order. */
export type UsageItem =
  | { readonly kind: 'word'; readonly word: string }
  | {
      readonly kind: 'positional';
      readonly name: string;
      readonly required: boolean;
      readonly repeated: boolean;
      readonly values: readonly string[] | null;
    }
  | {
      readonly kind: 'option';
      readonly option: Pick<HelpOption, 'names' | 'value' | 'repeated'>;
      readonly required: boolean;
    };

/** Stand for all options or for a command's name. */
const GENERAL =
  /^(?:global[ _-])?(?:options?|flags?|opts?|command|subcommand|cmd|args?|arguments?|command[ _-]?args?)$/i;

/** Reads one form, such as `tool add [options] <file> [--to NAME]`, without the program's own name. */
export function readUsage(form: string): UsageItem[] {
  return parts(form).flatMap((part) => itemsOf(part, true));
}

/** Cuts at blanks outside of brackets. A value that stands behind an option stays with it. */
function parts(text: string): string[] {
  return withValues(cutAt(text, ' '));
}

function cutAt(text: string, separator: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of text) {
    if ('[<({'.includes(char)) depth++;
    // A bracket too many closes nothing.
    if (']>)}'.includes(char)) depth = Math.max(0, depth - 1);
    if (char === separator && depth === 0) {
      if (part !== '') found.push(part);
      part = '';
    } else part += char;
  }
  if (part !== '') found.push(part);
  return found;
}

function withValues(found: readonly string[]): string[] {
  return found.reduce<string[]>((joined, each) => {
    const before = joined.at(-1);
    if (each === '...' && before !== undefined) joined[joined.length - 1] += '...';
    else if (before !== undefined && /^--?[A-Za-z][\w-]*$/.test(before) && /^(?:<|[A-Z]|\{)/.test(each)) {
      joined[joined.length - 1] += ` ${each}`;
    } else joined.push(each);
    return joined;
  }, []);
}

function itemsOf(part: string, required: boolean): UsageItem[] {
  const repeated = /\.\.\.\]?$/.test(part);
  const text = part.replace(/\.\.\.$/, '').trim();
  const inner = /^\[(.*)\]$/s
    .exec(text)?.[1]
    ?.replace(/ ?\.\.\.$/, '')
    .trim();
  if (inner !== undefined) return optional(inner, repeated);
  if (/^\(.*\)$/s.test(text)) {
    // One of several: whichever it is, none is certain to be given.
    const one = text.slice(1, -1).trim();
    if (one.includes('-') && /(?:^|\| ?)-/.test(one)) return optional(one, repeated);
    const values = listIn(one);
    if (values !== null) return [{ kind: 'positional', name: 'action', required, repeated, values }];
    return positional(one.split('|')[0]?.trim() ?? '', required, repeated);
  }
  if (text === '' || text === '--' || text === '|' || text === '-') return [];
  if (text.startsWith('-')) return option(text, required);
  if (/^[a-z][a-z0-9_:-]*(?:\|[a-z][a-z0-9_:-]*)*$/.test(text)) {
    if (GENERAL.test(text)) return [];
    return [{ kind: 'word', word: text }];
  }
  return positional(text, required, repeated);
}

function optional(inner: string, repeated: boolean): UsageItem[] {
  const alternatives = cutAt(inner, '|').map((each) => each.trim());
  if (alternatives.length > 1) {
    const options = alternatives.filter((each) => each.startsWith('-'));
    // `-v | --verbose` is one switch.
    if (options.length === 2 && /^-\w$/.test(options[0] ?? '')) return option(options.join(', '), false);
    if (options.length > 0) return options.flatMap((each) => option(each, false));
    const values = alternatives.length > 2 && inner === inner.toLowerCase() ? listIn(inner) : null;
    if (values !== null) return [{ kind: 'positional', name: 'action', required: false, repeated, values }];
    return positional(alternatives.join('|'), false, repeated);
  }
  if (inner.startsWith('-')) return option(inner, false);
  // `[pkg2 ...]`, `[DBNAME [USERNAME]]`: in brackets a plain word is a place, not a command.
  return parts(inner).flatMap((part) =>
    /^[a-z][\w.-]*$/.test(part)
      ? positional(part, false, repeated)
      : itemsOf(part, false).map((item) => loosened(item, repeated)),
  );
}

function loosened(item: UsageItem, repeated: boolean): UsageItem {
  if (item.kind === 'word') return item;
  return item.kind === 'option'
    ? { ...item, required: false }
    : { ...item, required: false, repeated: item.repeated || repeated };
}

function option(text: string, required: boolean): UsageItem[] {
  const read = readOptionSpec(text.trim());
  return read === null ? [] : [{ kind: 'option', option: read.spec, required }];
}

function positional(text: string, required: boolean, repeated: boolean): UsageItem[] {
  const name = text
    .replace(/^[<{[]+|[>}\]]+$/g, '')
    .replace(/\.\.\.$/, '')
    .trim();
  if (name === '' || GENERAL.test(name) || !/[A-Za-z]/.test(name) || name.startsWith('+')) return [];
  const values = text.startsWith('{') ? listIn(name) : null;
  return [
    {
      kind: 'positional',
      name: values === null ? name : 'value',
      required,
      repeated: repeated || text.includes('...'),
      values,
    },
  ];
}

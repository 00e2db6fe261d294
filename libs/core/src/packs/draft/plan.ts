import { cleanLines, prose } from './clean.js';
import { sketch, type Sketch } from './draft-command.js';
import type { HelpPage, ProgramHelp } from './help-page.js';
import { parseHelp } from './parse-help.js';
import { readUsage, type UsageItem } from './usage.js';
import { LEFT_OUT_COMMANDS } from './words.js';

/** One command of the program: the words that stand first, and what its help says. */
export interface Planned {
  readonly words: readonly string[];
  /** Those of them that stand before any value. */
  readonly start: readonly string[];
  readonly sketch: Sketch;
}

const NOTHING: HelpPage = { summary: '', usages: [], commands: [], options: [], option_forms: '', positionals: [] };

/** The commands that a help lists, or the one that the program is. */
export function planCommands(
  program: string,
  root: HelpPage,
  help: ProgramHelp,
): { plans: Planned[]; notes: string[] } {
  if (root.commands.length === 0) {
    const description = root.summary || `Run ${program}.`;
    const plans = commandsOf(
      root,
      root.usages.map((form) => afterWord(form, null)),
      [],
      description,
    );
    const one = plans.length === 1 && plans[0]?.words.length === 0;
    const notes = one
      ? [`run: ${program} lists no commands. Split it into what people do with it, and mark what only reads`]
      : [];
    return { plans, notes };
  }
  const plans: Planned[] = [];
  const notes: string[] = [];
  const helpless: string[] = [];
  const same = cleanLines(help.text).join('\n');
  for (const { name, description, form: row } of root.commands) {
    const why = whyLeftOut(name);
    if (why !== null) {
      notes.push(`${name}: left out, ${why}`);
      continue;
    }
    const text = help.commands.get(name);
    const page = text === undefined || cleanLines(text).join('\n') === same ? NOTHING : parseHelp(text);
    if (page.commands.length > 0) {
      notes.push(
        `${name}: left out, it has commands of its own (${page.commands.map((each) => each.name).join(', ')})`,
      );
      continue;
    }
    if (page === NOTHING) helpless.push(name);
    // Where the command has no help of its own, what the program's shows of it counts.
    const shown = page.usages.length > 0 ? page.usages : root.usages;
    const own = shown.filter((form) => mentions(form, name));
    const found = own.length > 0 || page.usages.length === 0 ? own : page.usages;
    const forms = found.length > 0 || row === '' ? found.map((form) => afterWord(form, name)) : [row];
    for (const plan of commandsOf(page, forms, [name], description || page.summary || `${program} ${name}`)) {
      const reason = whyLeftOut(plan.words.at(-1) ?? '');
      if (reason === null) plans.push(plan);
      else notes.push(`${plan.words.join(' ')}: left out, ${reason}`);
    }
  }
  if (helpless.length > 0) notes.push(`${helpless.join(', ')}: no help of their own; their arguments are a guess`);
  return { plans, notes };
}

/**
 * The commands of one page: one, or one for each form that has words of its own, as in `ship new <name>` and
 * `ship <name> move <x> <y>`.
 */
function commandsOf(
  page: HelpPage,
  forms: readonly string[],
  words: readonly string[],
  description: string,
): Planned[] {
  const read = forms
    .filter((form) => !/^(?:-h|--help|--version|-v)\b[^<]*$/i.test(form))
    .map((form) => ({ form, items: readUsage(form) }));
  const placed = new Set(page.positionals.map(({ name }) => name));
  const isWord = (item: UsageItem): item is Extract<UsageItem, { kind: 'word' }> =>
    item.kind === 'word' && !placed.has(item.word);
  const several = read.length > 1 && read.filter(({ items }) => items.some(isWord)).length > 1;
  if (!several) {
    const items = (read[0]?.items ?? fromRows(page)).map(asPlace);
    return [{ words, start: words, sketch: sketch(page, items, clip(description), true) }];
  }
  return read.map(({ form, items }) => {
    const own = items.filter(isWord).map(wordOf);
    const places = items.filter((item) => item.kind !== 'word' || placed.has(item.word)).map(asPlace);
    const first = items.findIndex((item) => item.kind === 'positional');
    const head = (first === -1 ? items : items.slice(0, first)).filter(isWord).map(wordOf);
    const all = /\[(?:<?(?:options|flags)>?|OPTIONS?)(?:\.\.\.)?\]/i.test(form);
    const made = sketch(page, places, clip(`${description} (${[...words, form].join(' ')})`), all);
    const line = head.length === own.length ? made : inOrder(made, items.slice(first), isWord);
    return { words: [...words, ...own], start: [...words, ...head], sketch: line };
  });
}

/** Words stand between the values: the line is as the form has it. */
function inOrder(made: Sketch, items: readonly UsageItem[], isWord: (item: UsageItem) => boolean): Sketch {
  const values = [...made.positionals];
  const positionals = items.flatMap((item) => {
    if (item.kind === 'option') return [];
    return item.kind === 'word' && isWord(item) ? [wordOf(item)] : values.splice(0, 1);
  });
  return { ...made, positionals };
}

const wordOf = ({ word }: { readonly word: string }): string => word.split('|')[0] ?? word;

const whyLeftOut = (name: string): string | null =>
  LEFT_OUT_COMMANDS.find(([, list]) => list.has(name.toLowerCase()))?.[0] ?? null;

const clip = (text: string): string => prose(text, 500);

/** A plain word is the place of a value where the form is the only one. */
function asPlace(item: UsageItem): UsageItem {
  if (item.kind !== 'word') return item;
  return { kind: 'positional', name: item.word, required: true, repeated: false, values: null };
}

const fromRows = ({ positionals }: HelpPage): UsageItem[] =>
  positionals.map(({ name }) => ({
    kind: 'positional',
    name,
    required: !name.startsWith('['),
    repeated: name.includes('...'),
    values: null,
  }));

const names = (token: string, name: string): boolean => token.split('|').includes(name);
const mentions = (form: string, name: string): boolean =>
  form
    .split(' ')
    .slice(0, 10)
    .some((token) => names(token, name));

/** What stands behind the program's name, or behind the word of the command. */
function afterWord(form: string, name: string | null): string {
  const tokens = form.split(' ').filter(Boolean);
  const at = name === null ? -1 : tokens.findIndex((token) => names(token, name));
  return tokens.slice(at === -1 ? 1 : at + 1).join(' ');
}

import { cleanLines, prose } from './clean.js';
import type { HelpCommand, HelpOption, HelpPage, HelpRow } from './help-page.js';
import { listIn, readOptionSpec } from './option-spec.js';
import { isOptionRow, readUsages } from './usage-lines.js';

type Section = 'commands' | 'options' | 'globals' | 'arguments' | 'usage' | 'other';

const MAX_DESCRIPTION = 300;
/** A line that begins this far right is the text of a row above. */
const DEEP = 16;

/** Reads a help text in any of the usual styles; what it does not understand it leaves out. */
export function parseHelp(text: string): HelpPage {
  const lines = cleanLines(text);
  const commands = new Map<string, HelpCommand>();
  const options: HelpOption[] = [];
  const option_forms: string[] = [];
  const positionals: HelpRow[] = [];
  let section: Section = 'other';
  let summary = '';
  for (const [index, line] of lines.entries()) {
    const next = sectionOf(line);
    if (next !== null) {
      section = next;
      continue;
    }
    const text_only = line.trim();
    if (text_only === '') {
      if (section === 'usage' && (lines[index - 1] ?? '').trim() !== '' && !isHeading(lines[index - 1] ?? ''))
        section = 'other';
      continue;
    }
    if (section === 'usage' && isOptionRow(text_only)) section = 'options';
    const listed = section === 'arguments' || section === 'commands' ? choicesAt(lines, index) : null;
    if (listed !== null) {
      // argparse lists its commands as the choices of an argument, each explained below.
      section = 'commands';
      continue;
    }
    if (text_only.startsWith('-') && indentOf(line) < DEEP) {
      const option = section === 'usage' ? null : optionAt(lines, index, section === 'globals');
      if (option !== null) options.push(option);
    } else if (section === 'options' && text_only.startsWith('[-')) option_forms.push(text_only);
    else if (section === 'commands') for (const each of commandsAt(lines, index)) commands.set(each.name, each);
    else if (section === 'arguments') positionals.push(...positionalAt(lines, index));
    else if (summary === '') summary = proseAt(lines, index);
  }
  return {
    ...{ summary, usages: readUsages(lines), commands: [...commands.values()] },
    ...{ options, option_forms: option_forms.join(' '), positionals },
  };
}

/** Headings, which end with a colon or, in manuals, are all capitals. */
function sectionOf(line: string): Section | null {
  const title = /^ ?(\S.*):$/.exec(line)?.[1] ?? /^([A-Z][A-Z ]{2,30})$/.exec(line)?.[1];
  if (title === undefined) return /^ ?usage:/i.test(line) ? 'usage' : null;
  const words = title.toLowerCase();
  if (title.startsWith('-')) return null;
  if (/^(usage|synopsis)\b/.test(words)) return 'usage';
  if (/\b(options|flags|switches)\b/.test(words)) {
    return /\b(global|common|inherited|parent)\b/.test(words) ? 'globals' : 'options';
  }
  if (/\b(examples?|aliases|environment|see also|variables|files)\b/.test(words)) return 'other';
  if (/\b(commands?|subcommands?|actions|verbs)\b/.test(words)) return 'commands';
  return /\b(arguments?|args|operands|parameters)\b/.test(words) ? 'arguments' : 'other';
}

const isHeading = (line: string): boolean => /^ ?(?:usage|synopsis):?$/i.test(line);

/** The first sentence of a paragraph that says what the program is for; empty where it is something else. */
function proseAt(lines: readonly string[], index: number): string {
  const paragraph: string[] = [];
  for (const line of lines.slice(index, index + 6)) {
    if (line.trim() === '' || indentOf(line) > 7 || line.trim().startsWith('-')) break;
    paragraph.push(line.trim());
  }
  const [all, named] = [paragraph.join(' '), /^\S+ +(?:-|—|–)+ +(.*)$/.exec(paragraph.join(' '))?.[1]];
  const text = named ?? all;
  const begins = named !== undefined || /^(?:["']?[A-Z][A-Za-z']*[ ,]|[\w-]+ is )/.test(text);
  const other = /[|<[{]| {2}|^(?:see|run|try|usage|use|or)\b|\bhelp\b| --|:$/i.test(text.replace(/\[[^\]]*\]$/, ''));
  const words = text.split(' ').length;
  // A name and its version say nothing.
  if (!begins || other || words < 2 || (words < 5 && /\d/.test(text))) return '';
  return prose(/^(.*?[^ .]\.)(?: |$)/.exec(text)?.[1] ?? text, MAX_DESCRIPTION);
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

function optionAt(lines: readonly string[], index: number, global: boolean): HelpOption | null {
  const line = lines[index] ?? '';
  const text = line.trim();
  const read = readOptionSpec(text);
  if (read === null) return null;
  const behind = text.slice(read.length);
  // Another word stands before the column of the descriptions: `--arg a v   Set it`.
  const unclear = /^ \S.* {2,}\S/.test(behind);
  const rest = behind.replace(/^[\s:]+(?:- )?/, '');
  return { ...read.spec, description: describe(rest, lines, index), unclear, global };
}

/** The text behind a row's head, and the deeper lines below it. */
function describe(rest: string, lines: readonly string[], index: number): string {
  const parts = rest === '' ? [] : [rest];
  const indent = indentOf(lines[index] ?? '');
  for (const line of lines.slice(index + 1, index + 8)) {
    if (line.trim() === '' || indentOf(line) <= indent + 1 || line.trim().startsWith('-')) break;
    parts.push(line.trim());
  }
  return prose(parts.join(' '), MAX_DESCRIPTION);
}

const COMMAND = '[A-Za-z][A-Za-z0-9_:.+-]*';
/** `name, alias [options] <arg>   What it does`, or `name - What it does`. */
const ROW = new RegExp(
  `^ {1,12}(${COMMAND})((?:(?:, ?| \\| ?|\\|)${COMMAND})*)((?: [<[{][^ ]*)*)(?: {2,}| +- )(\\S.*)$`,
);
const ALONE = new RegExp(`^ {1,12}(${COMMAND})(?:(?:, ?|\\|)${COMMAND})*((?: [<[{][^ ]*)*)$`);
const LIST = new RegExp(`^ +${COMMAND}(?:, ${COMMAND})+,?$|^ +${COMMAND},$`);

function commandsAt(lines: readonly string[], index: number): HelpCommand[] {
  const line = lines[index] ?? '';
  if (
    LIST.test(line) ||
    (ALONE.test(line) && LIST.test(lines[index - 1] ?? '') && (lines[index - 1] ?? '').endsWith(','))
  ) {
    return line
      .split(',')
      .flatMap((name) => (name.trim() === '' ? [] : [{ name: name.trim(), description: '', form: '' }]));
  }
  const row = ROW.exec(line);
  if (row !== null)
    return [{ name: row[1] ?? '', description: describe(row[4] ?? '', lines, index), form: (row[3] ?? '').trim() }];
  const alone = ALONE.exec(line);
  // A lone word below a deeper line is the rest of that line's text.
  const deeper = indentOf(lines[index - 1] ?? '') > 0 && indentOf(line) > indentOf(lines[index - 1] ?? '');
  return alone === null || deeper || indentOf(line) > 8
    ? []
    : [{ name: alone[1] ?? '', description: describe('', lines, index), form: (alone[2] ?? '').trim() }];
}

/** `{show,move}` with a deeper row below that explains one of them. */
function choicesAt(lines: readonly string[], index: number): string[] | null {
  const line = lines[index] ?? '';
  const choices = listIn(/^ {1,8}\{([^}]+)\}(?: \.\.\.)?$/.exec(line)?.[1] ?? '');
  const below = lines[index + 1] ?? '';
  const explained =
    indentOf(below) > indentOf(line) && choices?.includes(below.trim().split(/[ ,(]/)[0] ?? '') === true;
  return explained ? choices : null;
}

function positionalAt(lines: readonly string[], index: number): HelpRow[] {
  const line = lines[index] ?? '';
  const row = /^ {1,12}([<[{]?[A-Za-z][^ ]*)(?:(?: {2,}|: +)(\S.*))?$/.exec(line);
  return row === null ? [] : [{ name: row[1] ?? '', description: describe(row[2] ?? '', lines, index) }];
}

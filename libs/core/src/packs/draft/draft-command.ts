import { SWITCH_FLAG } from '../../argv/switches.js';
import type { Command, JsonSchema } from '../surface.js';
import { bareName, leftOut, mainName, valueSchema, valuesOf } from './argument.js';
import { prose } from './clean.js';
import type { HelpOption, HelpPage } from './help-page.js';
import { argNameOf } from './names.js';
import { readUsage, type UsageItem } from './usage.js';
import { CONSENT, UNATTENDED } from './words.js';

/** More options of one command are a sign that the help was misread, and no person looks them all over. */
const MAX_OPTIONS = 80;

/** One command as its help tells it, before it is known whether it asks. */
export interface Sketch {
  readonly description: string;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  /** Tokens of the command line, by what they are. */
  readonly switches: readonly string[];
  readonly valued: readonly string[];
  readonly positionals: readonly string[];
  /** Flags that say yes for a person. */
  readonly consent: readonly string[];
  /** Flags that are always given. */
  readonly fixed: readonly string[];
  /** Its switch for JSON, `--json` or `-json`; null: none. */
  readonly json: string | null;
  /** Options that were left out, by why. */
  readonly left_out: ReadonlyMap<string, readonly string[]>;
}

type Named = HelpOption & { readonly required: boolean };

/** Puts together what the form and the rows of a page say of one command. */
export function sketch(page: HelpPage, items: readonly UsageItem[], description: string, whole_page: boolean): Sketch {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  const positionals: string[] = [];
  const taken = new Set<string>();
  const declare = (text: string, schema: JsonSchema, must: boolean): string => {
    const name = argNameOf(text, taken);
    taken.add(name);
    properties[name] = schema;
    if (must) required.push(name);
    return name;
  };
  for (const item of items) {
    if (item.kind !== 'positional') continue;
    const said = page.positionals.find((row) => sameName(row.name, item.name))?.description ?? '';
    const schema = valueSchema(item.values?.join('|') ?? plainName(item.name), said, item.repeated);
    const name = declare(item.name, { ...schema, 'x-position': positionals.length }, item.required);
    positionals.push(`{{${name}}}`);
  }

  const lists: Record<'switches' | 'valued' | 'consent' | 'fixed', string[]> = {
    switches: [],
    valued: [],
    consent: [],
    fixed: [],
  };
  const left_out = new Map<string, string[]>();
  let json: string | null = null;
  for (const option of optionsOf(page, items, whole_page)) {
    const flag = mainName(option);
    const bare = option.names.map(bareName);
    const why =
      option.unclear || !SWITCH_FLAG.test(flag) ? 'what stands at their head could not be read' : leftOut(option);
    if (bareName(flag) === 'json' && option.value === null) json = flag;
    else if (why === '') continue;
    else if (why !== null) left_out.set(why, [...(left_out.get(why) ?? []), flag]);
    else if (option.value === null) {
      if (bare.some((name) => CONSENT.has(name))) lists.consent.push(flag);
      else if (bare.some((name) => UNATTENDED.has(name))) lists.fixed.push(flag);
      else {
        const text = prose(option.description, 500);
        const schema = { type: 'boolean', 'x-switch': flag, ...(text === '' ? {} : { description: text }) };
        lists.switches.push(`{{${declare(flag, schema, false)}}}`);
      }
    } else if (/^(?:format|output|output-format)$/.test(bareName(flag)) && isJson(option)) {
      lists.fixed.push(`${flag}=json`);
    } else {
      const name = declare(flag, valueSchema(option.value, option.description, option.repeated), option.required);
      lists.valued.push(...(flag.startsWith('--') ? [`${flag}={{${name}}}`] : [flag, `{{${name}}}`]));
    }
  }
  return { description, properties, required, positionals, json, left_out, ...lists };
}

/** The command line: a literal flag stands where no missing value behind it takes it along. */
export function commandOf(
  program: string,
  words: readonly string[],
  made: Sketch,
  literals: readonly string[],
): Command {
  const { switches, valued, positionals, properties, required, description } = made;
  const options =
    valued.length > 0
      ? [...switches, ...literals, ...valued, ...positionals]
      : [...switches, ...positionals, ...literals];
  return {
    description,
    args: {
      type: 'object',
      properties,
      ...(required.length > 0 ? { required: [...required] } : {}),
      additionalProperties: false,
    },
    cli: [program, ...words, ...options],
  };
}

/** Rows and the form together: the form may name what is required, and values that the rows leave out. */
function optionsOf(page: HelpPage, items: readonly UsageItem[], whole_page: boolean): Named[] {
  const forms = whole_page ? readUsage(page.option_forms) : [];
  const inline = [...items, ...forms].filter((item) => item.kind === 'option');
  const of = (names: readonly string[]) =>
    inline.find((item) => item.option.names.some((name) => names.includes(name)));
  const rows = page.options.filter(({ names, global }) => !global && (whole_page || of(names) !== undefined));
  const known = new Set<string>();
  const all: Named[] = [];
  for (const row of rows) {
    if (row.names.some((name) => known.has(name))) continue;
    const form = of(row.names);
    for (const name of row.names) known.add(name);
    const must = form?.required === true || /\[required\]|\(required\)/i.test(row.description);
    all.push({ ...row, value: row.value ?? form?.option.value ?? null, required: must });
  }
  for (const { option, required } of inline) {
    if (option.names.some((name) => known.has(name))) continue;
    for (const name of option.names) known.add(name);
    all.push({
      ...option,
      description: '',
      unclear: false,
      global: false,
      required: required && option.value !== null,
    });
  }
  return all.slice(0, MAX_OPTIONS);
}

const isJson = ({ value, description }: HelpOption): boolean =>
  valuesOf(value ?? '', description)?.includes('json') === true;

const plainName = (name: string): string => name.replace(/[<>[\]{}.]/g, '').toLowerCase();
const sameName = (row: string, name: string): boolean => plainName(row) === plainName(name);

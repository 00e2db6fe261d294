import { fillTemplate } from './fill.js';
import { inferRule, kindsOf, titleOf, wordsOf } from './infer.js';
import { DEFAULT_SIGNAL_RULES, DEFAULT_VIEW_RULES } from './default-rules.js';
import type { Signal, SignalRule, View, ViewField, ViewKind, ViewRule } from './view.js';
import { findCommand } from '../packs/lookup.js';
import type { Pack } from '../packs/pack.js';
import { VIEW_KINDS } from '../packs/surface.js';
import { escapeInvisible } from '../text/unicode.js';

/** Characters of one value that a card shows. */
export const MAX_SHOWN = 600;
/** Characters of one value in a title. */
const MAX_IN_TITLE = 80;

export interface ViewRules {
  readonly rules?: readonly ViewRule[];
  readonly signals?: readonly SignalRule[];
}

/** A view with what decides about it and is not shown. */
export interface BuiltView {
  readonly view: View;
  /** Declared and inferred kind together. */
  readonly kinds: ReadonlySet<string>;
}

/**
 * The card of a call (SPEC C1, C2): the declared preview, else what the names say. Nothing in it comes from text that the
 * caller wrote, save the arguments' own values.
 * @param args as the command gets them, without control words
 */
export function buildView(
  pack: Pick<Pack, 'manifest' | 'surface'>,
  verb_key: string,
  args: Readonly<Record<string, unknown>>,
  { rules = DEFAULT_VIEW_RULES, signals = DEFAULT_SIGNAL_RULES }: ViewRules = {},
): BuiltView {
  const values = new Map(Object.entries(args).flatMap(([name, value]) => textOf(name, value)));
  const { pack_id } = pack.manifest;
  const inferred = inferRule(rules, { pack_id, verb_key, given: new Set(values.keys()) });
  const declared = findCommand(pack, verb_key)?.preview;
  // The one command of a wrapped program is `run`, which says nothing by itself.
  const spoken = verb_key === 'run' ? `run.${pack_id}` : verb_key;
  const kinds = kindsOf(declared?.kind, inferred?.kind ?? null);
  const drawn = declared ? drawDeclared(declared, values) : drawInferred(inferred, spoken, values);
  const used = new Set(Object.values(drawn.sources).flat());
  const rest = [...values].filter(([name]) => !used.has(name)).map(([name, value]) => field(name, value));
  const kind = isKind(declared?.kind) ? declared.kind : (inferred?.kind ?? 'command');
  const view: View = {
    kind,
    title: drawn.title,
    fields: drawn.fields,
    rest,
    signals: signalsFor(signals, kinds, verb_key, values),
    sources: drawn.sources,
    complete: ![...drawn.fields, ...rest].some(({ cut }) => cut),
  };
  return { view, kinds };
}

type Values = ReadonlyMap<string, string>;
type Drawn = Pick<View, 'title' | 'fields' | 'sources'>;

const isKind = (kind: string | undefined): kind is ViewKind =>
  (VIEW_KINDS as readonly (string | undefined)[]).includes(kind);

function textOf(name: string, value: unknown): [string, string][] {
  if (value === undefined || value === null) return [];
  return [[name, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')]];
}

function drawDeclared(declared: { title: string; fields: Readonly<Record<string, string>> }, values: Values): Drawn {
  const fields: ViewField[] = [];
  const sources: Record<string, string[]> = {};
  for (const [name, template] of Object.entries(declared.fields)) {
    const filled = fillTemplate(template, values);
    // A field whose arguments are all missing has nothing to say.
    if (filled === null) continue;
    fields.push(field(name, filled.text));
    if (filled.names.length > 0) sources[name] = filled.names;
  }
  const title = fillTemplate(declared.title, values, MAX_IN_TITLE);
  return { title: escapeInvisible(title?.text ?? declared.title.replace(/\{\{[^}]*\}\}/g, '…')), fields, sources };
}

function drawInferred(rule: ViewRule | null, verb_key: string, values: Values): Drawn {
  const fields: ViewField[] = [];
  const sources: Record<string, string[]> = {};
  const shown = new Map<string, string>();
  for (const [name, aliases] of Object.entries(rule?.fields ?? {})) {
    const source = aliases.find((alias) => values.has(alias));
    if (source === undefined) continue;
    const value = values.get(source) ?? '';
    fields.push(field(name, value));
    sources[name] = [source];
    shown.set(name, value);
  }
  const title = titleOf(rule, verb_key, (name) => {
    const value = shown.get(name);
    return value === undefined ? null : shortened(value);
  });
  return { title: escapeInvisible(title), fields, sources };
}

const shortened = (text: string): string => (text.length > MAX_IN_TITLE ? `${text.slice(0, MAX_IN_TITLE)}…` : text);

function field(name: string, value: string): ViewField {
  const shown = escapeInvisible(value);
  const label = escapeInvisible(name);
  if (shown.length <= MAX_SHOWN) return { name: label, value: shown };
  return { name: label, value: `${shown.slice(0, MAX_SHOWN)}…`, cut: true };
}

function signalsFor(
  rules: readonly SignalRule[],
  kinds: ReadonlySet<string>,
  verb_key: string,
  values: Values,
): Signal[] {
  const words = wordsOf(verb_key);
  const shown: Signal[] = [];
  for (const { id, text, kinds: about, words: wanted, counts } of rules) {
    if (!about.some((kind) => kinds.has(kind))) continue;
    if (wanted !== undefined && !wanted.some((word) => words.includes(word))) continue;
    if (counts === undefined) {
      shown.push({ id, text });
      continue;
    }
    const count = peopleIn(counts.args, values);
    if (count >= counts.at_least) shown.push({ id, text: plural(text, count) });
  }
  return shown;
}

const plural = (text: string, count: number): string =>
  text.replace('{count} people', count === 1 ? '1 person' : `${String(count)} people`);

/** Different people that these arguments name, in lists as people write them. */
function peopleIn(names: readonly string[], values: Values): number {
  const people = names.flatMap((name) => (values.get(name) ?? '').split(/[,;\n]+/));
  return new Set(people.map((person) => person.trim().toLowerCase()).filter(Boolean)).size;
}

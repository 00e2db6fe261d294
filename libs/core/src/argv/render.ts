import { invalidArgs } from '../args/validate.js';
import type { Denial } from '../errors/codes.js';
import { argSchema, findCommand } from '../packs/lookup.js';
import type { Pack } from '../packs/pack.js';
import type { Command } from '../packs/surface.js';
import { isWellFormed, utf8Length } from '../text/unicode.js';
import { switchFlag } from './switches.js';
import { isBare, isBareFlag, isLiteral, parseToken, type TemplateToken } from './template.js';

/** Linux takes 128 KiB an argument, its closing NUL included (MAX_ARG_STRLEN). */
export const MAX_VALUE_BYTES = 128 * 1024;
/** All arguments together, each with its closing NUL. */
export const MAX_ARGV_BYTES = 1024 * 1024;

/** One item of argv and whether the pack wrote it or a value took part. */
export interface ArgvItem {
  readonly text: string;
  readonly literal: boolean;
}

export type ItemsResult = { ok: true; items: ArgvItem[] } | { ok: false; denial: Denial };
export type ArgvResult = { ok: true; bin: string; argv: string[] } | { ok: false; denial: Denial };

type PackText = Pick<Pack, 'manifest' | 'surface'>;
type Args = Readonly<Record<string, unknown>>;

/**
 * The argument list of a wrapped command (SPEC W1-W4). `args` are without control words. `bin` is what the manifest
 * says; resolving it against the pack is the sandbox's part.
 */
export function renderArgv(pack: PackText, verb_key: string, args: Args): ArgvResult {
  const rendered = renderItems(pack, verb_key, args);
  if (!rendered.ok) return rendered;
  const wrap = pack.manifest.wrap;
  if (wrap === undefined) return { ok: false, denial: notRenderable(verb_key) };
  const argv = withJsonFlag(rendered.items, wrap.json_flag ?? '--json').map((item) => item.text);
  const total = argv.reduce((sum, item) => sum + utf8Length(item) + 1, 0);
  if (total > MAX_ARGV_BYTES) return refuse('args', 'are together larger than 1 MiB');
  return { ok: true, bin: wrap.bin, argv };
}

/** The template's tokens with values in their places, before the JSON flag. */
export function renderItems(pack: PackText, verb_key: string, args: Args): ItemsResult {
  const command = findCommand(pack, verb_key);
  const template = command === null ? null : templateOf(pack, command);
  if (command === null || template === null) return { ok: false, denial: notRenderable(verb_key) };

  // Not an argument of the caller's: only a pack's template can ask for it (SPEC W2).
  const values = command.cli === undefined ? { ...args, verb: verb_key.slice(verb_key.lastIndexOf('.') + 1) } : args;
  const items: ArgvItem[] = [];
  for (const [index, token] of template.entries()) {
    if (isLiteral(token)) {
      items.push({ text: token.source, literal: true });
      continue;
    }
    const flag = switchFlag(command, token);
    if (flag !== null) {
      const on = isOn(own(values, token.names[0] ?? ''));
      if (on === null) return refuse(token.names[0] ?? '', 'must be true or false');
      if (on) items.push({ text: flag, literal: true });
      continue;
    }
    if (token.names.some((name) => isMissing(own(values, name)))) {
      const before = template[index - 1];
      // The flag waits for this value, so it goes with it. A mixed token takes nothing along.
      if (isBare(token) && before !== undefined && isBareFlag(before)) items.pop();
      continue;
    }
    const refused = judgeValues(command, token, values);
    if (refused !== null) return { ok: false, denial: refused };
    items.push({ text: fill(token, values), literal: false });
  }
  return { ok: true, items };
}

function templateOf(pack: PackText, command: Command): TemplateToken[] | null {
  const source = command.cli === undefined ? pack.manifest.wrap?.argv_template : command.cli.slice(1);
  return source === undefined ? null : source.map(parseToken);
}

function fill(token: TemplateToken, values: Args): string {
  return token.parts.map((part, index) => (index % 2 === 1 ? textOf(own(values, part)) : part)).join('');
}

function judgeValues(command: Command, token: TemplateToken, values: Args): Denial | null {
  for (const name of token.names) {
    const value = own(values, name);
    if (!isScalar(value)) {
      return invalidArgs(name, 'must be a text, a number or a boolean');
    }
    const text = textOf(value);
    if (text.includes('\u0000')) return invalidArgs(name, 'holds a NUL character');
    if (!isWellFormed(text)) return invalidArgs(name, 'is not well-formed Unicode');
    if (utf8Length(text) >= MAX_VALUE_BYTES) return invalidArgs(name, 'is larger than 128 KiB');
  }
  const first = token.names[0] ?? '';
  const text = fill(token, values);
  if (utf8Length(text) >= MAX_VALUE_BYTES) return invalidArgs(first, 'makes an argument larger than 128 KiB');
  // `{{path}}.txt` lets a value choose an option just as `{{path}}` does, so both are held to it.
  if (token.parts[0] === '' && looksLikeOption(text) && argSchema(command, first)?.['x-dash'] !== true) {
    return invalidArgs(first, 'begins with "-" and would be read as an option');
  }
  return null;
}

const NEGATIVE_NUMBER = /^-(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const looksLikeOption = (text: string): boolean => text.startsWith('-') && !NEGATIVE_NUMBER.test(text);

/** What has a text of its own; everything else was refused before (SPEC W1). */
const textOf = (value: unknown): string => (isScalar(value) ? String(value) : '');
const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Missing, null and empty are the same to a command line (SPEC W1). */
const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Whether a switch is on; null for what says neither. */
function isOn(value: unknown): boolean | null {
  if (value === true || value === 'true') return true;
  return isMissing(value) || value === false || value === 'false' ? false : null;
}

const own = (values: Args, name: string): unknown => (Object.hasOwn(values, name) ? values[name] : undefined);

/** A value that equals the flag or `--` is data: only the pack's own tokens count here (SPEC W3). */
function withJsonFlag(items: readonly ArgvItem[], flag: string | false): readonly ArgvItem[] {
  if (flag === false || items.some((item) => item.literal && item.text === flag)) return items;
  const end = items.findIndex((item) => item.literal && item.text === '--');
  const added: ArgvItem = { text: flag, literal: true };
  return end === -1 ? [...items, added] : [...items.slice(0, end), added, ...items.slice(end)];
}

const refuse = (path: string, why: string): { ok: false; denial: Denial } => ({
  ok: false,
  denial: invalidArgs(path, why),
});

/** A pack that passed the check has a template for each wrap command; this is for one that did not. */
const notRenderable = (verb_key: string): Denial => ({
  code: 'internal',
  error: `no command line for ${verb_key}`,
  hint: 'The pack describes no command line for this command; its author can add cli[] in surface.json.',
});

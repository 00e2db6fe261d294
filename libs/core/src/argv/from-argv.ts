import { argSchema, findCommand } from '../packs/lookup.js';
import type { Pack } from '../packs/pack.js';
import type { Command } from '../packs/surface.js';
import { switchFlag } from './switches.js';
import { isBare, isBareFlag, isLiteral, parseToken } from './template.js';

/** Where `argsFromArgv` lists what was typed and fits no argument, so that it is refused or shown instead of lost. */
export const EXTRA_WORDS = '_';

/** A typed command line, read. Whoever runs it refuses what is in the three lists. */
export interface TypedLine {
  readonly args: Record<string, unknown>;
  /** Words that no argument takes. */
  readonly extra: readonly string[];
  /** Arguments given more than once, as word and flag or as flag and flag. The first value stands in `args`. */
  readonly twice: readonly string[];
  /** Flags as typed, without a value, that mean no argument. */
  readonly unknown: readonly string[];
}

/**
 * Reads a typed command line back into arguments (SPEC W9). `argv` is what follows the command's own words. Values stay
 * texts; a switch is `true`. `--json` speaks to the caller's tool and is no argument.
 */
export function readArgv(
  pack: Pick<Pack, 'manifest' | 'surface'>,
  command: string | Command,
  argv: readonly string[],
): TypedLine {
  const known = typeof command === 'string' ? findCommand(pack, command) : command;
  if (known === null) return { args: {}, extra: [...argv], twice: [], unknown: [] };
  const flags = flagsOf(known);
  const slots = positionsOf(known);
  const args = new Map<string, unknown>();
  const extra: string[] = [];
  const twice = new Set<string>();
  const unknown = new Set<string>();
  let words_only = false;
  let position = 0;
  const give = (name: string, value: unknown): void => {
    if (!put(args, known, name, value)) twice.add(name);
  };

  for (let i = 0; i < argv.length; i++) {
    const token = argv[i] ?? '';
    if (words_only || !isSwitch(token)) {
      const name = slots.get(position++);
      if (name === undefined) extra.push(token);
      else give(name, token);
    } else if (token === '--') {
      words_only = true;
    } else if (token !== '--json') {
      const cut = token.indexOf('=');
      const flag = cut === -1 ? token : token.slice(0, cut);
      const name = flags.get(flag) ?? declaredName(known, flag) ?? (flag === '--mode' ? 'mode' : null);
      if (name === null && flag !== '--confirm' && flag !== '--apply') unknown.add(flag);
      if (cut !== -1) give(name ?? bareName(flag), asSwitch(known, name, flag, token.slice(cut + 1)));
      else if (name === null || isBoolean(known, name) || !isValue(argv[i + 1])) give(name ?? bareName(flag), true);
      else give(name, argv[++i]);
    }
  }
  return { args: Object.fromEntries(args), extra, twice: [...twice], unknown: [...unknown] };
}

/**
 * The arguments alone. Words that no argument takes are listed under `_`, and so is the name of an argument given twice:
 * no command takes such a call, so neither of two values can win unseen.
 */
export function argsFromArgv(
  pack: Pick<Pack, 'manifest' | 'surface'>,
  command: string | Command,
  argv: readonly string[],
): Record<string, unknown> {
  const { args, extra, twice } = readArgv(pack, command, argv);
  return extra.length + twice.length === 0 ? args : { ...args, [EXTRA_WORDS]: [...extra, ...twice] };
}

/** Flags that the template puts in front of a placeholder or joins to it: `--to {{payee}}`, `--to={{payee}}`. */
function flagsOf(command: Command): Map<string, string> {
  const flags = new Map<string, string>();
  const tokens = (command.cli ?? []).slice(1).map(parseToken);
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    const [name = ''] = token.names;
    const own = switchFlag(command, token);
    if (own !== null) flags.set(own, name);
    else if (isBare(token) && before !== undefined && isBareFlag(before)) flags.set(before.source, name);
    const joined = /^(--?[A-Za-z][^=]*)=$/.exec(token.parts[0] ?? '')?.[1];
    if (token.names.length === 1 && token.parts[2] === '' && joined !== undefined) flags.set(joined, name);
  }
  return flags;
}

/** Which bare word fills which argument: `x-position` first, then the template's own order in the places left. */
function positionsOf(command: Command): Map<number, string> {
  const slots = new Map<number, string>();
  for (const name of Object.keys(command.args?.properties ?? {})) {
    const at = argSchema(command, name)?.['x-position'];
    if (typeof at === 'number' && Number.isInteger(at) && at >= 0 && !slots.has(at)) slots.set(at, name);
  }
  const placed = new Set(slots.values());
  const tokens = (command.cli ?? []).slice(1).map(parseToken);
  let next = 0;
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    const [name = ''] = token.names;
    if (isLiteral(token) || !isBare(token) || placed.has(name) || switchFlag(command, token) !== null) continue;
    if (before !== undefined && isBareFlag(before)) continue;
    while (slots.has(next)) next++;
    slots.set(next, name);
    placed.add(name);
  }
  return slots;
}

/** `--node-id` and `--node_id` both mean the declared `node_id`. */
function declaredName(command: Command, flag: string): string | null {
  const plain = (name: string): string => name.replaceAll('-', '_').toLowerCase();
  const wanted = plain(bareName(flag));
  const names = [
    ...Object.keys(command.args?.properties ?? {}),
    ...(command.cli ?? []).slice(1).flatMap((t) => parseToken(t).names),
  ];
  return names.find((name) => name === bareName(flag)) ?? names.find((name) => plain(name) === wanted) ?? null;
}

/** False where the argument takes one value and has it; a list takes each. */
function put(args: Map<string, unknown>, command: Command, name: string, value: unknown): boolean {
  const before = args.get(name);
  if (argSchema(command, name)?.['type'] === 'array') {
    args.set(name, Array.isArray(before) ? [...(before as unknown[]), value] : [value]);
    return true;
  }
  if (args.has(name)) return false;
  args.set(name, value);
  return true;
}

const isBoolean = (command: Command, name: string): boolean => argSchema(command, name)?.['type'] === 'boolean';

/** `--force=false` of a declared switch, and `--confirm=true`, are booleans; everything else stays a text. */
function asSwitch(command: Command, name: string | null, flag: string, text: string): unknown {
  const boolean = name === null ? flag === '--confirm' || flag === '--apply' : isBoolean(command, name);
  return boolean && (text === 'true' || text === 'false') ? text === 'true' : text;
}

const bareName = (flag: string): string => flag.replace(/^--?/, '');

/** `-` is a word (standard input), and so is a negative number. */
const isSwitch = (token: string): boolean => token.startsWith('-') && token !== '-' && !/^-\.?\d/.test(token);

/** Another switch is not a switch's value; one that begins with a dash is given as `--name=-value`. */
const isValue = (token: string | undefined): token is string => token !== undefined && !isSwitch(token);

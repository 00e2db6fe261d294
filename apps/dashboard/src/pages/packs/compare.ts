import type { PackDetail } from '@hcp/contracts';

type Command = PackDetail['commands'][number];

export interface CommandChange {
  readonly verb_key: string;
  /** In words; each stands for itself. */
  readonly changes: readonly string[];
}

/** What another version would change; every text comes from the two versions and from nothing else. */
export interface Comparison {
  readonly added: readonly Command[];
  readonly removed: readonly string[];
  readonly changed: readonly CommandChange[];
  /** Of the pack as a whole: program, network, credential. */
  readonly pack: readonly string[];
  /** What it may do from then on and may not do now. */
  readonly widens: readonly string[];
}

const ASKS = new Map<Command['confirm'], { readonly rank: number; readonly words: string }>([
  [false, { rank: 0, words: 'runs without asking' }],
  [true, { rank: 1, words: 'asks first' }],
  ['always', { rank: 2, words: 'always asks' }],
]);
const asks = (command: Command) => ASKS.get(command.confirm) ?? { rank: 0, words: 'runs without asking' };

/** What a command of the pack says of itself, in words that the comparison uses too. */
export const asksWords = (command: Pick<Command, 'confirm'>): string => ASKS.get(command.confirm)?.words ?? '';

/** What changes where `before` is active now and `after` would be. @param before null: nothing is active there */
export function compareVersions(before: PackDetail | null, after: PackDetail): Comparison {
  const old = new Map((before?.commands ?? []).map((command) => [command.verb_key, command]));
  const kept = new Set(after.commands.map(({ verb_key }) => verb_key));
  const added = after.commands.filter(({ verb_key }) => !old.has(verb_key));
  const widens: string[] = [];
  for (const command of added) if (command.operation !== 'read') widens.push(`${command.verb_key} is new and writes`);
  const changed: CommandChange[] = [];
  for (const command of after.commands) {
    const was = old.get(command.verb_key);
    if (!was) continue;
    const change = commandChanges(was, command);
    if (change.changes.length > 0) changed.push({ verb_key: command.verb_key, changes: change.changes });
    widens.push(...change.widens.map((what) => `${command.verb_key} ${what}`));
  }
  const whole = packChanges(before, after);
  return {
    added,
    removed: [...old.keys()].filter((verb_key) => !kept.has(verb_key)),
    changed,
    pack: whole.changes,
    widens: [...whole.widens, ...widens],
  };
}

/** Whether nothing of what the API tells differs; files of the pack may. */
export const isSame = ({ added, removed, changed, pack }: Comparison): boolean =>
  added.length + removed.length + changed.length + pack.length === 0;

interface Changes {
  readonly changes: string[];
  readonly widens: string[];
}

function commandChanges(was: Command, is: Command): Changes {
  const changes: string[] = [];
  const widens: string[] = [];
  if (was.operation !== is.operation) {
    changes.push(`operation ${was.operation} becomes ${is.operation}`);
    if (was.operation === 'read') widens.push(`no longer only reads: ${is.operation}`);
  }
  if (was.confirm !== is.confirm) {
    changes.push(`${asks(was).words} becomes ${asks(is).words}`);
    if (asks(is).rank < asks(was).rank) widens.push(`asked more before; now it ${asks(is).words}`);
  }
  if (was.land !== is.land) {
    changes.push(`land ${was.land} becomes ${is.land}`);
    if (is.land === 'public') widens.push('has its results land in public');
  }
  changes.push(...argChanges(was, is));
  if (!same(was.cli, is.cli)) changes.push('another command line');
  if (was.description !== is.description) changes.push('another description');
  return { changes, widens };
}

function argChanges(was: Command, is: Command): string[] {
  const [before, after] = [argsOf(was), argsOf(is)];
  const words: string[] = [];
  const listed = (names: string[], what: string): void => {
    if (names.length > 0) words.push(`${what} ${names.join(', ')}`);
  };
  const names = Object.keys(after.properties);
  listed(
    names.filter((name) => !Object.hasOwn(before.properties, name)),
    'new argument',
  );
  listed(
    Object.keys(before.properties).filter((name) => !Object.hasOwn(after.properties, name)),
    'without argument',
  );
  const stayed = names.filter((name) => Object.hasOwn(before.properties, name));
  listed(
    stayed.filter((name) => after.required.has(name) && !before.required.has(name)),
    'now required:',
  );
  listed(
    stayed.filter((name) => !after.required.has(name) && before.required.has(name)),
    'no longer required:',
  );
  listed(
    stayed.filter((name) => !same(before.properties[name], after.properties[name])),
    'other rules for argument',
  );
  if (words.length === 0 && !same(was.args, is.args)) words.push('other rules for its arguments');
  return words;
}

function argsOf({ args }: Command): { properties: Record<string, unknown>; required: ReadonlySet<unknown> } {
  const { properties, required } = (args ?? {}) as { properties?: unknown; required?: unknown };
  return {
    properties: typeof properties === 'object' && properties !== null ? (properties as Record<string, unknown>) : {},
    required: new Set(Array.isArray(required) ? (required as unknown[]) : []),
  };
}

function packChanges(before: PackDetail | null, after: PackDetail): Changes {
  const changes: string[] = [];
  const widens: string[] = [];
  const note = (words: string): void => void (changes.push(words), widens.push(words));
  const [was, is] = [before?.wrap, after.wrap];
  for (const host of is?.network ?? []) if (was?.network.includes(host) !== true) note(`may reach ${host}`);
  for (const host of was?.network ?? [])
    if (is?.network.includes(host) !== true) changes.push(`no longer reaches ${host}`);
  if (is && is.workspace !== (was?.workspace ?? 'pack')) {
    if (is.workspace === 'project') note('works in the files of the project');
    else if (before) changes.push(`works in another place: ${is.workspace}`);
  }
  const families = before?.binding?.families ?? [];
  for (const family of after.binding?.families ?? [])
    if (!families.includes(family)) note(`runs with a ${family} credential`);
  if (before && was?.bin !== is?.bin) changes.push(is ? `runs another program: ${is.bin}` : 'runs no program');
  if (before && before.kind !== after.kind) changes.push(`kind ${before.kind} becomes ${after.kind}`);
  return { changes, widens };
}

/** Equal as JSON, whatever the order of keys. */
function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, each]) => [key, sorted(each)]);
}

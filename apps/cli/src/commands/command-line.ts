import type { CommandInfo } from '@hcp/contracts';
import { EXIT, type Manifest, PACK_ID, readArgv, type Surface } from '@hcp/core';
import { items } from '@hcp/sdk';
import { didYouMean } from '../args/nearest.js';
import { takeShared } from '../args/shared-flags.js';
import type { CommonOptions, Context } from '../context.js';
import { Failure, usage } from '../failure.js';
import { showCommandHelp, showPackHelp } from './command-help.js';
import type { Client } from './group.js';
import { projectId } from './names.js';
import { runCommand } from './run-command.js';

/** `hcpx <pack> <verb> --flags`: the command's own command line, read back into arguments (SPEC I3, W9). */
export async function commandLine(
  context: Context,
  pack_id: string,
  words: readonly string[],
  given: CommonOptions,
  own_commands: readonly string[],
): Promise<void> {
  const meant = didYouMean(pack_id, own_commands);
  if (!PACK_ID.test(pack_id)) throw usage('that is no hcpx command', `${meant}See hcpx --help.`);
  const hcp = await context.hcp(given);
  let commands = await commandsOf(hcp, pack_id, given.project);
  // A pack may be active in the project alone; the words are looked at only where nothing else knows it.
  const inside = given.project ?? takeShared(words, () => false).options.project;
  if (commands.length === 0 && inside !== given.project) commands = await commandsOf(hcp, pack_id, inside);
  if (commands.length === 0) throw await noSuchPack(hcp, pack_id, meant);
  const found = findByWords(commands, words);
  if (found === null) {
    const [first] = words;
    if (first === '--help' || first === '-h') {
      showPackHelp(context, pack_id, commands);
      return;
    }
    throw noSuchCommand(pack_id, commands, words);
  }
  const { command } = found;
  const { verb_key } = command;
  const { rest: argv, options: late } = takeShared(words.slice(found.length), (name) => declares(command, name));
  const options = { ...given, ...late };
  const flags = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  if (flags.includes('--help')) {
    showCommandHelp(context, command);
    return;
  }
  const typed = readArgv(packOf(pack_id, commands), verb_key, argv);
  refuseUnclear(command, typed);
  const shared = late.project === undefined ? [] : [`--project=${late.project}`];
  await runCommand(
    context,
    {
      pack_id,
      verb_key,
      args: typed.args,
      confirmed: [pack_id, ...words.slice(0, found.length), ...shared, ...confirming(argv)],
    },
    flags.includes('--json') ? { ...options, json: true } : options,
  );
}

async function commandsOf(hcp: Client, pack_id: string, project: string | undefined): Promise<CommandInfo[]> {
  const where = project === undefined ? {} : { project_id: await projectId(hcp, project) };
  const commands: CommandInfo[] = [];
  for await (const each of items((query) => hcp.api.commands.list({ pack_id, ...where, ...query })))
    commands.push(each);
  return commands;
}

/** Neither a value nor a flag is dropped or guessed: what cannot be read one way is refused. */
function refuseUnclear(command: CommandInfo, typed: ReturnType<typeof readArgv>): void {
  const see = `See hcpx ${command.pack_id} ${command.verb_key} --help.`;
  const [unknown] = typed.unknown;
  if (unknown !== undefined) {
    throw usage(
      `unknown flag ${unknown} of ${command.pack_id} ${command.verb_key}`,
      didYouMean(unknown, flagsOf(command)) + see,
    );
  }
  const [twice] = typed.twice;
  if (twice !== undefined)
    throw usage(`argument ${twice} is given twice`, `Give it once, as a word or as a flag. ${see}`);
  if (typed.extra.length > 0) throw usage(`${command.pack_id} ${command.verb_key} takes fewer words than these`, see);
}

/** The same words with a yes, in front of a `--` that ends the flags. */
function confirming(argv: readonly string[]): string[] {
  const kept = argv.filter((word) => !/^--confirm(=|$)/.test(word));
  const end = kept.indexOf('--');
  return kept.toSpliced(end === -1 ? kept.length : end, 0, '--confirm');
}

const propertiesOf = (command: CommandInfo): string[] => Object.keys(command.args?.['properties'] ?? {});

const flagsOf = (command: CommandInfo): string[] => [
  ...(command.cli ?? []).filter((token) => /^--?[A-Za-z][^{=]*$/.test(token)),
  ...propertiesOf(command).map((name) => `--${name.replaceAll('_', '-')}`),
  '--confirm',
];

const declares = (command: CommandInfo, name: string): boolean =>
  propertiesOf(command).includes(name) ||
  (command.cli ?? []).some((token) => token === `--${name}` || token.includes(`{{${name}}}`));

function noSuchCommand(pack_id: string, commands: readonly CommandInfo[], words: readonly string[]): Failure {
  const verbs = commands.map((each) => each.verb_key);
  const has = `It has: ${verbs.join(', ')}.`;
  const [word] = words;
  if (word === undefined || word.startsWith('-')) return usage(`name a command of ${pack_id}`, has);
  const meant = didYouMean(word, verbs);
  return usage(`unknown command of ${pack_id}: ${word}`, meant + has);
}

/** Nothing to see may mean that there is nothing, or that these credentials may see nothing. */
async function noSuchPack(hcp: Client, pack_id: string, meant: string): Promise<Failure> {
  const unknown = usage(
    `${pack_id} is no hcpx command, and no pack that you can see`,
    `${meant}See hcpx --help for commands, hcpx commands for packs.`,
  );
  if (meant !== '') return unknown;
  const { grants } = await hcp.api.auth.me();
  const reaches = grants.every((layer) =>
    layer.some((grant) => grant.pack_id === undefined || grant.pack_id === pack_id),
  );
  if (reaches) return unknown;
  return new Failure(
    `no pack ${pack_id} that these credentials have rights for`,
    'They may be missing rights: hcpx whoami shows them. Ask who manages access for a grant.',
    EXIT.denied,
    'missing_capability',
  );
}

/** The command whose words stand first, the longest where several do: its key, its key word by word, or its cli's words. */
export function findByWords(
  commands: readonly CommandInfo[],
  words: readonly string[],
): { command: CommandInfo; length: number } | null {
  let best: { command: CommandInfo; length: number } | null = null;
  for (const command of commands) {
    for (const own of [[command.verb_key], command.verb_key.split('.'), leadingWords(command.cli ?? [])]) {
      const fits = own.length > 0 && own.every((word, index) => words[index] === word);
      if (fits && own.length > (best?.length ?? 0)) best = { command, length: own.length };
    }
  }
  return best;
}

/** Literal words behind the program's name, up to the first placeholder or flag. */
function leadingWords(cli: readonly string[]): readonly string[] {
  const rest = cli.slice(1);
  const end = rest.findIndex((token) => token.startsWith('-') || token.includes('{{'));
  return end === -1 ? rest : rest.slice(0, end);
}

/** The listed commands in the shape that `readArgv` reads; only the surface matters there. */
function packOf(pack_id: string, commands: readonly CommandInfo[]): { manifest: Manifest; surface: Surface } {
  return {
    manifest: {
      pack_id,
      name: pack_id,
      version: '0.0.0',
      description: pack_id,
      kind: 'wrap',
      binding: { family: 'public' },
    },
    surface: {
      commands: Object.fromEntries(
        commands.map(({ verb_key, description, args, cli }) => [
          verb_key,
          {
            description,
            ...(args === undefined ? {} : { args: args as Surface['commands'][string]['args'] }),
            ...(cli === undefined ? {} : { cli }),
          },
        ]),
      ),
    },
  };
}

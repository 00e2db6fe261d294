import type { CommandInfo } from '@hcp/contracts';
import { argsFromArgv, EXTRA_WORDS, type Manifest, PACK_ID, type Surface } from '@hcp/core';
import { items } from '@hcp/sdk';
import type { CommonOptions, Context } from '../context.js';
import { usage } from '../failure.js';
import { runCommand } from './run-command.js';

/** `hcpx <pack> <verb> --flags`: the command's own command line, read back into arguments (SPEC I3, W9). */
export async function commandLine(
  context: Context,
  pack_id: string,
  words: readonly string[],
  options: CommonOptions,
): Promise<void> {
  if (!PACK_ID.test(pack_id)) throw usage('that is no hcpx command', 'See hcpx --help.');
  const hcp = await context.hcp(options);
  const commands: CommandInfo[] = [];
  for await (const each of items((query) => hcp.api.commands.list({ pack_id, ...query }))) commands.push(each);
  if (commands.length === 0) {
    throw usage(
      `${pack_id} is no hcpx command, and no pack that you can see`,
      'See hcpx --help for commands, hcpx commands for packs.',
    );
  }
  const found = findByWords(commands, words);
  if (found === null) {
    const verbs = commands.map((each) => each.verb_key).join(', ');
    throw usage(`name a command of ${pack_id}`, `It has: ${verbs}.`);
  }
  const argv = words.slice(found.length);
  const flags = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  if (flags.includes('--help')) {
    showHelp(context, found.command);
    return;
  }
  const args = argsFromArgv(packOf(pack_id, commands), found.command.verb_key, argv);
  if (Object.hasOwn(args, EXTRA_WORDS)) {
    throw usage(
      `${pack_id} ${found.command.verb_key} takes fewer words than these`,
      `See hcpx ${pack_id} ${found.command.verb_key} --help.`,
    );
  }
  await runCommand(
    context,
    { pack_id, verb_key: found.command.verb_key, args },
    flags.includes('--json') ? { ...options, json: true } : options,
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

/** The listed commands in the shape that `argsFromArgv` reads; only the surface matters there. */
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

function showHelp({ ui }: Context, command: CommandInfo): void {
  ui.block(`${command.pack_id} ${command.verb_key}: ${command.description}`);
  if (command.cli !== undefined) ui.block(`\n  ${command.cli.join(' ')}`);
  const properties = (command.args?.['properties'] ?? {}) as Record<string, { type?: unknown; description?: unknown }>;
  const required = (command.args?.['required'] ?? []) as string[];
  ui.line('');
  ui.table(
    ['ARGUMENT', 'TYPE', '', 'DESCRIPTION'],
    Object.entries(properties).map(([name, schema]) => [
      name,
      textOf(schema.type),
      required.includes(name) ? 'required' : '',
      textOf(schema.description),
    ]),
  );
  ui.block(`\nnow: ${command.access}${command.reason === null ? '' : ` (${command.reason})`}`);
}

/** A part of a schema for the table; a list of types is written as one. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(' or ');
  return typeof value === 'string' ? value : '';
}

import { readFile } from 'node:fs/promises';
import { MAX_WAIT_MS } from '@hcp/core';
import { type Command, Option } from 'commander';
import { argsFromJson, argsFromPairs } from '../args/pairs.js';
import type { CommonOptions, Context } from '../context.js';
import { usage } from '../failure.js';
import { leaf, optionsOf, wholeNumber } from './leaf.js';
import { runCommand } from './run-command.js';

interface Options extends CommonOptions {
  readonly wait?: number;
  readonly idempotencyKey?: string;
  readonly argsJson?: string;
  readonly argsFile?: string;
  readonly confirm?: boolean;
  readonly apply?: boolean;
}

export function registerExec(program: Command, context: Context): void {
  leaf(program, 'exec <pack> <verb> [key=value...]', 'Run a command with named arguments')
    .option('--project <id>', 'in this project: its id or name')
    .addOption(new Option('--confirm').hideHelp())
    .addOption(new Option('--apply').hideHelp())
    .option('--wait <ms>', 'how long to wait for the result; 0 returns at once', wholeNumber(0, MAX_WAIT_MS))
    .option('--idempotency-key <key>', 'a repeat with the same key answers the first run')
    .option('--args-json <json>', 'arguments as a JSON object')
    .option('--args-file <path>', 'arguments as a JSON object in a file; - is standard input')
    .addHelpText(
      'after',
      '\nValues stay texts; confirm and apply become true or false.\n\n  hcpx exec ledger transfer --json -- amount=2.80 payee=demo-transit confirm=true',
    )
    .action(async (pack_id: string, verb_key: string, words: string[], _options: unknown, command: Command) => {
      const options = optionsOf<Options>(command);
      if (options.confirm === true || options.apply === true) {
        throw usage(
          'here a yes is an argument, not an option',
          `Put it behind --: hcpx exec ${pack_id} ${verb_key} -- … confirm=true`,
        );
      }
      const args = { ...(await jsonArgs(context, options)), ...argsFromPairs(words) };
      await runCommand(
        context,
        {
          pack_id,
          verb_key,
          args,
          ...again(pack_id, verb_key, words, options),
          exec: {
            ...(options.wait === undefined ? {} : { wait_ms: options.wait }),
            ...(options.idempotencyKey === undefined ? {} : { idempotency_key: options.idempotencyKey }),
          },
        },
        options,
      );
    });
}

/** The same call with a yes; none where arguments came by standard input. */
function again(
  pack_id: string,
  verb_key: string,
  words: readonly string[],
  { project, argsJson, argsFile }: Options,
): { confirmed?: readonly string[] } {
  if (argsFile === '-') return {};
  const flags = [
    ...(project === undefined ? [] : [`--project=${project}`]),
    ...(argsJson === undefined ? [] : [`--args-json=${argsJson}`]),
    ...(argsFile === undefined ? [] : [`--args-file=${argsFile}`]),
  ];
  const kept = words.filter((word) => !word.startsWith('confirm='));
  return { confirmed: ['exec', pack_id, verb_key, ...flags, '--', ...kept, 'confirm=true'] };
}

async function jsonArgs(context: Context, options: Options): Promise<Record<string, unknown>> {
  if (options.argsJson !== undefined && options.argsFile !== undefined) {
    throw usage('--args-json and --args-file exclude each other', 'Give one of them.');
  }
  if (options.argsJson !== undefined) return argsFromJson(options.argsJson, '--args-json');
  if (options.argsFile === undefined) return {};
  if (options.argsFile === '-') return argsFromJson(await context.io.readStdin(), 'standard input');
  const text = await readFile(options.argsFile, 'utf8').catch(() => {
    throw usage('the file of --args-file cannot be read', 'Check its path.');
  });
  return argsFromJson(text, '--args-file');
}

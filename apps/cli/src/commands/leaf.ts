import { type Command, InvalidArgumentError } from 'commander';
import type { CommonOptions } from '../context.js';

/** A command with the options that every one takes. */
export function leaf(parent: Command, spec: string, description: string): Command {
  const command = parent.command(spec);
  return command
    .showHelpAfterError(`Usage: ${pathOf(command)} ${command.usage()}`)
    .description(description)
    .option('--json', 'print JSON')
    .option('--url <url>', 'address of the API (default: HCP_URL, or the last login)')
    .option('--session <id>', 'an explicit session (default: HCP_SESSION)');
}

/** `hcpx keys create`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** Own options joined by those given before the command's name. */
export const optionsOf = <T extends CommonOptions>(command: Command): T => command.optsWithGlobals<T>();

/** For `.option(…, wholeNumber(1, 200))`. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };

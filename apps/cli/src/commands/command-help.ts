import type { CommandInfo } from '@hcp/contracts';
import type { Context } from '../context.js';
import { typedForm } from './typed-form.js';

/** `hcpx <pack> --help`: what the pack has. */
export function showPackHelp({ ui }: Context, pack_id: string, commands: readonly CommandInfo[]): void {
  ui.line(`Usage: hcpx ${pack_id} <command> …`);
  ui.line('');
  ui.table(
    ['COMMAND', 'DESCRIPTION'],
    commands.map(({ verb_key, description }) => [verb_key, description]),
  );
  ui.line('');
  ui.line(`hcpx ${pack_id} <command> --help tells more; hcpx skill ${pack_id} what to know before.`);
}

/** `hcpx <pack> <verb> --help`. */
export function showCommandHelp({ ui }: Context, command: CommandInfo): void {
  const { pack_id, verb_key } = command;
  const properties = (command.args?.['properties'] ?? {}) as Record<string, { type?: unknown; description?: unknown }>;
  const required = (command.args?.['required'] ?? []) as string[];
  ui.block(`${pack_id} ${verb_key}: ${command.description}`);
  ui.block(`\n  ${typedForm(command)}`);
  ui.block(`  hcpx exec ${[pack_id, verb_key, '--', ...Object.keys(properties).map((name) => `${name}=…`)].join(' ')}`);
  if (Object.keys(properties).length > 0) {
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
  }
  ui.block(`\nnow: ${command.access}${command.reason === null ? '' : ` (${command.reason})`}`);
}

/** A part of a schema for the table; a list of types is written as one. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(' or ');
  return typeof value === 'string' ? value : '';
}

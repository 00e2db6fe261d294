import type { CommandInfo } from '@hcp/contracts';
import type { Context } from '../context.js';

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
  ui.block(`\n  ${typedForm(command, required)}`);
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

/** The template as one types it: `hcpx ledger transfer <amount> --to <payee> [--memo <memo>]`. */
function typedForm({ pack_id, verb_key, cli }: CommandInfo, required: readonly string[]): string {
  const tokens = cli?.slice(1) ?? verb_key.split('.');
  const parts: string[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] ?? '';
    const next = tokens[i + 1];
    const pair = token.startsWith('-') && !token.includes('{{') && next?.startsWith('{{') === true;
    const whole = pair ? `${token} ${next}` : token;
    if (pair) i++;
    const names = [...whole.matchAll(/\{\{\s*([^}\s]+)\s*\}\}/g)].map(([, name = '']) => name);
    const shown = whole.replace(/\{\{\s*([^}\s]+)\s*\}\}/g, '<$1>');
    parts.push(names.length > 0 && !names.some((name) => required.includes(name)) ? `[${shown}]` : shown);
  }
  return ['hcpx', pack_id, ...parts].join(' ');
}

/** A part of a schema for the table; a list of types is written as one. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(' or ');
  return typeof value === 'string' ? value : '';
}

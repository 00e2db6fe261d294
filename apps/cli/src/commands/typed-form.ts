import type { CommandInfo } from '@hcp/contracts';

type Command = Pick<CommandInfo, 'pack_id' | 'verb_key' | 'cli' | 'args'>;

interface Schema {
  readonly type?: unknown;
  readonly 'x-switch'?: unknown;
  readonly 'x-position'?: unknown;
}

/** A command as one types it: `hcpx ledger transfer <amount> --to <payee> [--memo <memo>]`. */
export function typedForm(command: Command): string {
  const { pack_id, verb_key, cli } = command;
  const template = cli?.slice(1) ?? [];
  const end = template.findIndex((token) => token.startsWith('-') || token.includes('{{'));
  const own = end === -1 ? template : template.slice(0, end);
  // A program without subcommands has no words of its own: its command is typed by its key.
  const words = own.length > 0 ? own : verb_key.split('.');
  const rest = cli === undefined ? fromSchema(command) : fromTemplate(command, template.slice(own.length));
  return ['hcpx', pack_id, ...words, ...rest].join(' ');
}

const PLACEHOLDER = /\{\{\s*([^}\s]+)\s*\}\}/g;

function fromTemplate(command: Command, tokens: readonly string[]): string[] {
  const parts: string[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] ?? '';
    const next = tokens[i + 1];
    const pair = token.startsWith('-') && !token.includes('{{') && next?.startsWith('{{') === true;
    const whole = pair ? `${token} ${next}` : token;
    if (pair) i++;
    const names = [...whole.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
    const flag = names.length === 1 && token === whole ? schemaOf(command, names[0] ?? '')['x-switch'] : undefined;
    const shown = typeof flag === 'string' ? flag : whole.replace(PLACEHOLDER, '<$1>');
    parts.push(bracketed(command, names, shown));
  }
  return parts;
}

/** Without a template (a composite, an API): words by their places, every other argument by its flag. */
function fromSchema(command: Command): string[] {
  const names = Object.keys(propertiesOf(command));
  const at = (name: string): number => {
    const position = schemaOf(command, name)['x-position'];
    return typeof position === 'number' ? position : Infinity;
  };
  const words = names.filter((name) => at(name) !== Infinity).sort((a, b) => at(a) - at(b));
  const flags = names.filter((name) => at(name) === Infinity);
  return [
    ...words.map((name) => bracketed(command, [name], `<${name}>`)),
    ...flags.map((name) => {
      const flag = `--${name.replaceAll('_', '-')}`;
      return bracketed(command, [name], schemaOf(command, name).type === 'boolean' ? flag : `${flag} <${name}>`);
    }),
  ];
}

function bracketed(command: Command, names: readonly string[], shown: string): string {
  const required = (command.args?.['required'] ?? []) as string[];
  return names.length > 0 && !names.some((name) => required.includes(name)) ? `[${shown}]` : shown;
}

const propertiesOf = ({ args }: Command): Readonly<Record<string, Schema>> =>
  (args?.['properties'] ?? {}) as Readonly<Record<string, Schema>>;

function schemaOf(command: Command, name: string): Schema {
  const properties = propertiesOf(command);
  return Object.hasOwn(properties, name) ? (properties[name] ?? {}) : {};
}

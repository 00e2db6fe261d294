import { items } from '@hcp/sdk';
import type { Binding } from '@hcp/contracts';
import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { Failure, usage } from '../failure.js';
import { bindingOf, optionalProject } from './names.js';
import { leaf, optionsOf } from './leaf.js';

interface AddOptions extends CommonOptions {
  readonly clientCredentials?: boolean;
  readonly project?: string;
  readonly shared?: boolean;
  readonly family?: string;
  readonly expires?: string;
  readonly audience?: string;
}

/** SPEC B1, B2. Secrets come from a prompt or from standard input, never from the command line, which others can list. */
export function registerBindings(program: Command, context: Context): void {
  const { ui } = context;
  const bindings = program.command('bindings').description('Connect accounts to packs');

  leaf(bindings, 'list', 'List your bindings, and the shared ones you manage')
    .option('--pack <id>', 'of one pack')
    .action(async (_options: unknown, command: Command) =>
      list(context, optionsOf<CommonOptions & { pack?: string }>(command)),
    );

  leaf(bindings, 'add <pack>', 'Store a secret for a pack; asks for it, or reads it from standard input')
    .option('--project <id>', 'serve this project alone: name or id')
    .option('--shared', 'for everyone in the project or tenant, not only for you')
    .option('--client-credentials', "the own account of the tenant's OAuth client, in place of a secret")
    .option('--family <family>', 'user or mothership (default: what the pack needs)')
    .option('--expires <time>', 'RFC 3339: when the secret ends')
    .option('--audience <aud>', 'store none: lend each run a token signed for it and this service')
    .addHelpText('after', STDIN_HELP)
    .action(async (pack: string, _options: unknown, command: Command) =>
      add(context, pack, optionsOf<AddOptions>(command)),
    );

  leaf(bindings, 'rotate <binding>', 'Replace the secret of a binding, by its id or its pack; asks for it, or reads it')
    .option('--expires <time>', 'RFC 3339: when the secret ends')
    .addHelpText('after', STDIN_HELP)
    .action(async (binding: string, _options: unknown, command: Command) =>
      rotate(context, binding, optionsOf<CommonOptions & { expires?: string }>(command)),
    );

  leaf(
    bindings,
    'revoke <binding>',
    'Erase the secret of a binding, by its id or its pack: runs that have not begun are refused',
  )
    .option('--forget', 'let runs use the next wider binding from now on')
    .action(async (binding: string, _options: unknown, command: Command) => {
      const options = optionsOf<CommonOptions & { forget?: boolean }>(command);
      const hcp = await context.hcp(options);
      const { id } = await bindingOf(hcp, binding);
      await hcp.api.bindings.revoke(id, { forget: options.forget === true });
      if (options.json === true) ui.json({ ok: true, id });
      else ui.note(`binding ${ui.safe(id)} is revoked`);
    });
}

const STDIN_HELP =
  '\nStandard input, where there is no terminal: the secret itself where the pack has one field,' +
  '\nelse a JSON object such as {"user": "…", "password": "…"}.';

async function list(context: Context, options: CommonOptions & { pack?: string }): Promise<void> {
  const { api } = await context.hcp(options);
  const filter = options.pack === undefined ? {} : { pack_id: options.pack };
  const all: Binding[] = [];
  for await (const each of items((query) => api.bindings.list({ ...filter, ...query }))) all.push(each);
  if (options.json === true) {
    context.ui.json(all);
    return;
  }
  context.ui.table(
    ['BINDING', 'PACK', 'FOR', 'STATE', 'VERSION', 'FIELDS', 'SINCE', 'ENDS'],
    all.map((each) => [
      each.id,
      each.pack_id,
      whose(each),
      each.state,
      String(each.version),
      each.fields.join(' '),
      each.rotated_at,
      each.expires_at ?? '-',
    ]),
  );
  for (const each of all.filter(({ state }) => state === 'stale' || state === 'expired')) {
    context.ui.note(`${context.ui.safe(each.pack_id)} is ${each.state}: ${mending(each)}`);
  }
}

/** What makes a binding good again. */
const mending = ({ kind, id, pack_id, principal_id }: Binding): string =>
  kind === 'oauth2_code'
    ? `hcpx connect ${pack_id}${principal_id === null ? ' --shared' : ''}`
    : `hcpx bindings rotate ${id}`;

const whose = ({ principal_id, project_id, family }: Binding): string =>
  [
    principal_id === null ? (family === 'mothership' ? 'the platform' : 'everyone') : 'you',
    ...(project_id === null ? [] : [`in ${project_id}`]),
  ].join(' ');

async function add(context: Context, pack_id: string, options: AddOptions): Promise<void> {
  const { ui } = context;
  const hcp = await context.hcp(options);
  const { api } = hcp;
  const project_id = await optionalProject(hcp, options.project);
  const { binding } = await api.packs.get(pack_id);
  const family = options.family ?? binding?.families[0];
  if (binding === undefined || family === undefined)
    throw new Failure(`${pack_id} needs no binding`, 'Nothing was stored.');
  if (family !== 'user' && family !== 'mothership') throw usage('--family is user or mothership');
  const made = await api.bindings.create({
    pack_id,
    family,
    ...(await contentOf(context, options, binding.fields)),
    ...(project_id === undefined ? {} : { project_id }),
    ...(options.shared === true ? { shared: true } : {}),
    ...(options.expires === undefined ? {} : { expires_at: options.expires }),
  });
  if (options.json === true) ui.json(made);
  else ui.note(`${ui.style('green', '✓', 'err')} stored for ${ui.safe(made.pack_id)}: binding ${made.id}`);
}

async function rotate(context: Context, named: string, options: CommonOptions & { expires?: string }): Promise<void> {
  const { ui } = context;
  const hcp = await context.hcp(options);
  const { api } = hcp;
  const before = await bindingOf(hcp, named);
  const { binding } = await api.packs.get(before.pack_id);
  const made = await api.bindings.rotate(before.id, {
    ...(before.kind === 'secret' && { fields: await readFields(context, binding?.fields ?? before.fields) }),
    ...(options.expires === undefined ? {} : { expires_at: options.expires }),
  });
  if (options.json === true) ui.json(made);
  else ui.note(`${ui.style('green', '✓', 'err')} binding ${made.id} is at version ${made.version}`);
}

/** By its kind: what is given, or what is asked of somebody else. */
async function contentOf(context: Context, options: AddOptions, names: readonly string[]) {
  if (options.clientCredentials === true) return { kind: 'oauth2_client_credentials' as const };
  if (options.audience !== undefined) return { kind: 'workload_token' as const, audience: options.audience };
  return { kind: 'secret' as const, fields: await readFields(context, names) };
}

/** Asks for each field without echo; without a terminal, reads them from standard input. */
async function readFields({ io, ui }: Context, names: readonly string[]): Promise<Record<string, string>> {
  if (io.interactive) {
    const fields: Record<string, string> = {};
    for (const name of names) fields[name] = await io.ask(`${ui.safe(name)}: `, { hidden: true });
    return fields;
  }
  const text = (await io.readStdin()).replace(/\r?\n$/, '');
  const [only] = names;
  if (names.length === 1 && only !== undefined) return { [only]: text };
  const parsed = parseObject(text);
  if (parsed === null) {
    throw usage(
      'standard input is no JSON object of texts',
      `It needs the fields ${names.map((name) => ui.safe(name)).join(', ')}.`,
    );
  }
  return parsed;
}

function parseObject(text: string): Record<string, string> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const entries = Object.entries(value);
  return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')
    ? Object.fromEntries(entries)
    : null;
}

import { SENSE_EVERY_S, type ListSenseQuery, type SenseEvent, type SenseSource } from '@hcp/contracts';
import { SENSE_SEVERITIES } from '@hcp/core';
import { items } from '@hcp/sdk';
import { type Command, Option } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { INTERRUPTED } from '../failure.js';
import { given, showList, showOne } from './group.js';
import { leaf, optionsOf, wholeNumber } from './leaf.js';
import { projectId } from './names.js';

interface ListOptions extends CommonOptions {
  readonly all?: boolean;
  readonly follow?: boolean;
  readonly kind?: string;
  readonly severity?: SenseEvent['severity'];
}

interface SourceOptions extends CommonOptions {
  readonly every?: number;
}

/** What should be known of until it is mended, and packs that are looked at for it (SPEC N1, W8). */
export function registerSense(program: Command, context: Context): void {
  const sense = program.command('sense').description('See what needs somebody, and have packs looked at for it');

  leaf(sense, 'list', 'List what is not mended, as far as you may see it')
    .option('--all', 'what was mended in the last month, too')
    .option('--kind <kind>', 'of one kind, such as credential_stale')
    .addOption(new Option('--severity <severity>', 'of one severity').choices(SENSE_SEVERITIES))
    .option('--follow', 'go on, and say what comes and what is mended')
    .action(async (_options: unknown, command: Command) => list(context, optionsOf(command)));

  leaf(sense, 'sources', 'List the packs that are looked at on schedule').action(
    async (_options: unknown, command: Command) => {
      const options = optionsOf(command);
      const { api } = await context.hcp(options);
      await showList(context, options, (query) => api.sense.sources(query), {
        head: ['PACK', 'PROJECT', 'EVERY', 'STATE', 'ENABLED BY'],
        row: (each) => [
          each.pack_id,
          each.project_id ?? '-',
          `${String(each.every_s)} s`,
          stateOf(each),
          each.enabled_by,
        ],
      });
    },
  );

  leaf(sense, 'enable <pack>', 'Have a pack of kind sense_only looked at on schedule, on your rights')
    .option(
      '--every <seconds>',
      `between two looks (default: ${String(SENSE_EVERY_S.fallback)})`,
      wholeNumber(SENSE_EVERY_S.min, SENSE_EVERY_S.max),
    )
    .option('--project <id>', 'where its commands run: a project, its id or name')
    .action(async (pack: string, _options: unknown, command: Command) => set(context, pack, true, optionsOf(command)));

  leaf(sense, 'disable <pack>', 'Look at it no more; what it saw counts as mended')
    .option('--project <id>', 'the project that it was enabled in')
    .action(async (pack: string, _options: unknown, command: Command) => set(context, pack, false, optionsOf(command)));
}

const stateOf = ({ enabled, paused_reason, next_at }: SenseSource): string =>
  !enabled ? 'off' : paused_reason !== null ? `paused: ${paused_reason}` : `on, next ${next_at ?? '-'}`;

async function set(context: Context, pack: string, enabled: boolean, options: SourceOptions): Promise<void> {
  const hcp = await context.hcp(options);
  const project_id = options.project === undefined ? undefined : await projectId(hcp, options.project);
  const body = { enabled, ...given({ every_s: options.every, project_id }) };
  const source = await hcp.api.sense.setSource(pack, body);
  showOne(context, options, source, [
    ['pack', source.pack_id],
    ['project', source.project_id],
    ['every', `${String(source.every_s)} s`],
    ['state', stateOf(source)],
  ]);
}

async function list(context: Context, options: ListOptions): Promise<void> {
  const { kind, severity, all, follow } = options;
  const query: ListSenseQuery = given({ kind, severity, open: all === true ? ('0' as const) : undefined });
  const { api } = await context.hcp(options);
  if (follow === true) {
    await followSense(context, options, query);
    return;
  }
  await showList(context, options, (page) => api.sense.list({ ...page, ...query }), {
    head: ['SEVERITY', 'KIND', 'MESSAGE', 'SEEN', 'LAST', ...(all === true ? ['MENDED'] : [])],
    row: (each) => [
      each.severity,
      each.kind,
      each.message,
      String(each.count),
      each.last_seen_at,
      ...(all === true ? [each.cleared_at ?? '-'] : []),
    ],
  });
}

/** What is open now, then what comes: an event tells that something changed, and the list says what. */
async function followSense(context: Context, options: ListOptions, query: ListSenseQuery): Promise<void> {
  const { io, ui } = context;
  const { api } = await context.hcp(options);
  const shown = new Map<string, string>();
  const look = async (): Promise<void> => {
    for await (const each of items((page) => api.sense.list({ ...page, ...query }, { signal: io.signal }))) {
      if (shown.get(each.id) === each.message) continue;
      shown.set(each.id, each.message);
      if (options.json === true) ui.json(each);
      else ui.line(ui.safe(`${each.last_seen_at}  ${each.severity}  ${each.kind}  ${each.message}`));
    }
  };
  try {
    for await (const event of api.events.follow({ signal: io.signal })) {
      if (event.type === 'ready' || event.type === 'reset') await look();
      if (event.type !== 'sense.changed') continue;
      if (event.state === 'open') await look();
      else if (shown.delete(event.sense_id)) {
        if (options.json === true) ui.json(event);
        else ui.line(ui.safe(`${event.at}  mended  ${event.kind}  ${event.pack_id}`));
      }
    }
  } catch (error) {
    if (!io.signal.aborted) throw error;
    context.exit_code = INTERRUPTED;
  }
}

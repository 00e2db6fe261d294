import { EXIT, RUN_STATUSES, type RunStatus } from '@hcp/core';
import type { Run } from '@hcp/contracts';
import { type Command, Option } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { INTERRUPTED } from '../failure.js';
import { leaf, optionsOf, wholeNumber } from './leaf.js';

interface ListOptions extends CommonOptions {
  readonly limit: number;
  readonly status?: RunStatus;
  readonly pack?: string;
}

export function registerRuns(program: Command, context: Context): void {
  const runs = program.command('runs').description('List, show, follow and cancel runs');

  leaf(runs, 'list', 'List runs, newest first')
    .option('--limit <n>', 'how many', wholeNumber(1, 200), 30)
    .addOption(new Option('--status <status>', 'in one state').choices(RUN_STATUSES))
    .option('--pack <id>', 'of one pack')
    .action(async (_options: unknown, command: Command) => list(context, optionsOf<ListOptions>(command)));

  leaf(runs, 'show <id>', 'Show a run and its outcome').action(
    async (id: string, _options: unknown, command: Command) => {
      const options = optionsOf(command);
      showRun(context, await (await context.hcp(options)).api.runs.get(id), options);
    },
  );

  leaf(runs, 'watch <id>', 'Follow a run until it ends').action(
    async (id: string, _options: unknown, command: Command) => watch(context, id, optionsOf(command)),
  );

  leaf(runs, 'cancel <id>', 'Cancel a queued or running run').action(
    async (id: string, _options: unknown, command: Command) => {
      const options = optionsOf(command);
      const run = await (await context.hcp(options)).api.runs.cancel(id);
      if (options.json === true) context.ui.json(run);
      else context.ui.note(`run ${run.id}: ${cancelText(run)}`);
    },
  );
}

function cancelText({ finished_at, status }: Run): string {
  if (finished_at === null) return 'cancel requested';
  return status === 'cancelled' ? 'is cancelled' : `had ended already (${status})`;
}

async function list(context: Context, options: ListOptions): Promise<void> {
  const { api } = await context.hcp(options);
  const page = await api.runs.list({ limit: options.limit, status: options.status, pack_id: options.pack });
  if (options.json === true) {
    context.ui.json(page.items);
    return;
  }
  context.ui.table(
    ['RUN', 'STATUS', 'COMMAND', 'CODE', 'MS', 'CREATED', 'BY'],
    page.items.map((run) => [
      run.id,
      run.status,
      `${run.pack_id}.${run.verb_key}`,
      run.code ?? '-',
      run.duration_ms === null ? '-' : String(run.duration_ms),
      run.created_at,
      run.principal_name ?? run.principal_id,
    ]),
  );
}

function showRun(context: Context, run: Run, options: CommonOptions): void {
  const { ui } = context;
  if (options.json === true) {
    ui.json(run);
    return;
  }
  ui.fields([
    ['run', run.id],
    ['status', run.status],
    ['waits for', run.waiting_for],
    ['command', `${run.pack_id}.${run.verb_key}`],
    ['arguments', run.arg_names.join(', ') || 'none'],
    ['pack', `${run.pack_version} ${run.pack_digest}`],
    ['operation', `${run.operation}, land ${run.land}`],
    ['principal', `${run.principal_kind} ${named(run.principal_id, run.principal_name)}`],
    ['acts for', run.acts_for === null ? null : named(run.acts_for, run.acts_for_name)],
    ['project', run.project_id],
    ['created', run.created_at],
    ['started', run.started_at],
    ['finished', run.finished_at],
    ['duration', run.duration_ms === null ? null : `${run.duration_ms} ms`],
    ['time-out', `${run.timeout_ms} ms`],
    ['code', run.code],
    ['exit code', run.exit_code === null ? null : String(run.exit_code)],
    ['truncated', run.truncated ? 'yes' : null],
    ['output', run.output_erased_at === null ? null : `erased ${run.output_erased_at}`],
    ['error', run.error],
    ['reached', run.egress?.contacted.map(({ host, port }) => `${host}:${port}`).join(', ') || null],
    [
      'not let reach',
      run.egress?.refused.map(({ host, port, code }) => `${host}:${port ?? '?'} (${code})`).join(', ') || null,
    ],
  ]);
  if (run.result === null || run.result === undefined) return;
  ui.line('');
  if (typeof run.result === 'string') ui.block(run.result);
  else ui.json(run.result);
}

const named = (id: string, name: string | null): string => (name === null ? id : `${name} (${id})`);

/** Output goes where the command wrote it; states and the end go to standard error. */
async function watch(context: Context, id: string, options: CommonOptions): Promise<void> {
  const { io, ui } = context;
  const { api } = await context.hcp(options);
  let attempt = 0;
  try {
    for await (const event of api.runs.events(id, { signal: io.signal })) {
      if (event.type !== 'end') {
        if (attempt > 0 && event.attempt > attempt && options.json !== true) {
          ui.note(ui.style('yellow', 'the worker was lost: what follows is of another start of the command', 'err'));
        }
        attempt = event.attempt;
      }
      if (event.type === 'end') context.exit_code = event.ok === true ? EXIT.ok : EXIT.failure;
      if (options.json === true) ui.json(event);
      else if (event.type === 'state') ui.note(ui.dim(event.status, 'err'));
      else if (event.type === 'output') ui.raw(event.text, event.stream === 'stdout' ? 'out' : 'err');
      else ui.note(`${event.status}${event.code === null ? '' : `: ${event.code}`}`);
    }
  } catch (error) {
    if (!io.signal.aborted) throw error;
    ui.note(`stopped watching; the run goes on: hcpx runs show ${ui.safe(id)}`);
    context.exit_code = INTERRUPTED;
  }
}

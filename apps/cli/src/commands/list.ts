import { items } from '@hcp/sdk';
import type { CommandInfo } from '@hcp/contracts';
import { type Command, Option } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { projectId } from './names.js';
import { leaf, optionsOf, wholeNumber } from './leaf.js';

interface CommandsOptions extends CommonOptions {
  readonly pack?: string;
  readonly project?: string;
}

interface AuditOptions extends CommonOptions {
  readonly limit: number;
  readonly pack?: string;
  readonly principal?: string;
  readonly action?: string;
  readonly decision?: 'allow' | 'ask' | 'deny';
  readonly run?: string;
  readonly from?: string;
  readonly to?: string;
}

export function registerLists(program: Command, context: Context): void {
  leaf(program, 'commands', 'List commands and whether you may run them')
    .option('--pack <id>', 'of one pack')
    .option('--project <id>', 'as if called in this project: name or id')
    .action(async (_options: unknown, command: Command) => commands(context, optionsOf<CommandsOptions>(command)));

  leaf(program, 'audit', 'Read the audit log, newest first')
    .option('--limit <n>', 'how many events', wholeNumber(1, 200), 30)
    .option('--pack <id>', 'of one pack')
    .option('--principal <id>', 'of one principal')
    .option('--action <name>', 'such as exec.decision')
    .addOption(new Option('--decision <decision>', 'one kind of decision').choices(['allow', 'ask', 'deny']))
    .option('--run <id>', 'of one run')
    .option('--from <time>', 'RFC 3339, inclusive')
    .option('--to <time>', 'RFC 3339, exclusive')
    .action(async (_options: unknown, command: Command) => audit(context, optionsOf<AuditOptions>(command)));

  leaf(program, 'skill <pack>', 'Show what to know before using a pack')
    .option('--full', 'the whole text instead of its lead')
    .action(async (pack: string, _options: unknown, command: Command) => {
      const options = optionsOf<CommonOptions & { full?: boolean }>(command);
      const skill = await (await context.hcp(options)).api.packs.skill(pack, { full: options.full === true });
      if (options.json === true) context.ui.json(skill);
      else if (skill.skill === null) context.ui.note(`${context.ui.safe(pack)} has no skill text`);
      else context.ui.block(skill.skill);
    });
}

async function commands(context: Context, options: CommandsOptions): Promise<void> {
  const { ui } = context;
  const hcp = await context.hcp(options);
  const filter = {
    ...(options.pack === undefined ? {} : { pack_id: options.pack }),
    ...(options.project === undefined ? {} : { project_id: await projectId(hcp, options.project) }),
  };
  const all: CommandInfo[] = [];
  for await (const each of items((query) => hcp.api.commands.list({ ...filter, ...query }))) all.push(each);
  if (options.json === true) {
    ui.json(all);
    return;
  }
  ui.table(
    ['PACK', 'COMMAND', 'OPERATION', 'ACCESS', 'DESCRIPTION', 'WHY NOT'],
    all.map((each) => [
      each.pack_id,
      each.verb_key,
      each.operation,
      each.access,
      each.description,
      each.access === 'allow' ? '' : (each.reason ?? ''),
    ]),
  );
}

async function audit(context: Context, options: AuditOptions): Promise<void> {
  const { ui } = context;
  const page = await (
    await context.hcp(options)
  ).api.audit.list({
    limit: options.limit,
    pack_id: options.pack,
    principal_id: options.principal,
    action: options.action,
    decision: options.decision,
    run_id: options.run,
    from: options.from,
    to: options.to,
  });
  if (options.json === true) {
    ui.json(page.items);
    return;
  }
  ui.table(
    ['TIME', 'ACTION', 'PRINCIPAL', 'COMMAND OR SUBJECT', 'DECISION', 'CODE', 'RUN'],
    page.items.map((event) => [
      event.at,
      event.action,
      `${event.principal_kind ?? '-'} ${event.principal_id ?? ''}`.trim(),
      event.verb_key === null ? (event.subject ?? event.pack_id ?? '-') : `${event.pack_id ?? ''}.${event.verb_key}`,
      event.decision ?? '-',
      event.code ?? '-',
      event.run_id ?? '-',
    ]),
  );
}

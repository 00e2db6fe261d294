import { items } from '@hcp/sdk';
import type { CommandInfo } from '@hcp/contracts';
import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { projectId } from './names.js';
import { leaf, optionsOf } from './leaf.js';

interface CommandsOptions extends CommonOptions {
  readonly pack?: string;
  readonly project?: string;
}

export function registerLists(program: Command, context: Context): void {
  leaf(program, 'commands', 'List commands and whether you may run them')
    .option('--pack <id>', 'of one pack')
    .option('--project <id>', 'as if called in this project: name or id')
    .action(async (_options: unknown, command: Command) => commands(context, optionsOf<CommandsOptions>(command)));

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

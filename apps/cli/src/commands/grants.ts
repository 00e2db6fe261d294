import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { GRANT_HELP, grantText, parseGrant } from './grant-text.js';
import { act, given, showList, showOne } from './group.js';
import { leaf, optionsOf } from './leaf.js';

interface CreateOptions extends CommonOptions {
  readonly project?: string;
  readonly expires?: string;
}

/** SPEC G1. */
export function registerGrants(program: Command, context: Context): void {
  const grants = program.command('grants').description('List, give and take away rights');

  leaf(grants, 'list', 'List grants')
    .option('--principal <id>', 'of one principal')
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf<CommonOptions & { principal?: string }>(command);
      const { api } = await context.hcp(options);
      const filter = given({ principal_id: options.principal });
      await showList(context, options, (query) => api.grants.list({ ...filter, ...query }), {
        head: ['GRANT', 'PRINCIPAL', 'RIGHT', 'SINCE'],
        row: (each) => [each.id, each.principal_id, grantText(each), each.created_at],
      });
    });

  leaf(grants, 'create <principal> <grant>', 'Give a right, no wider than what you hold')
    .option('--project <id>', 'in this project alone')
    .option('--expires <time>', 'RFC 3339: when it ends')
    .addHelpText('after', GRANT_HELP)
    .action(async (principal_id: string, grant: string, _options: unknown, command: Command) => {
      const options = optionsOf<CreateOptions>(command);
      const bounds = given({ project_id: options.project, expires_at: options.expires });
      const { api } = await context.hcp(options);
      const made = await api.grants.create({ principal_id, ...parseGrant(grant), ...bounds });
      showOne(context, options, made, [
        ['grant', made.id],
        ['principal', made.principal_id],
        ['right', grantText(made)],
      ]);
    });

  act(
    context,
    grants,
    'delete <id>',
    'Take a right away',
    ({ api }, id = '') => api.grants.delete(id),
    'is taken away',
  );
}

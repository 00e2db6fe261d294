import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { GRANT_HELP, grantText, parseGrant } from './grant-text.js';
import { act, showList, showOne } from './group.js';
import { leaf, optionsOf } from './leaf.js';

type GrantOptions = CommonOptions & { readonly grant: string[] };

/** SPEC G2. */
export function registerRoles(program: Command, context: Context): void {
  const roles = program.command('roles').description('List, define and change roles');

  leaf(roles, 'list', 'List built-in and own roles').action(async (_options: unknown, command: Command) => {
    const options = optionsOf(command);
    const { api } = await context.hcp(options);
    await showList(context, options, (query) => api.roles.list(query), {
      head: ['ROLE', 'ID', 'GRANTS'],
      row: (each) => [each.name, each.id ?? 'built in', each.grants.map(grantText).join(' ')],
    });
  });

  leaf(roles, 'create <name>', 'Define a role, no wider than what you hold')
    .requiredOption('--grant <grant...>', 'what it gives')
    .addHelpText('after', GRANT_HELP)
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = optionsOf<GrantOptions>(command);
      const { api } = await context.hcp(options);
      const made = await api.roles.create({ name, grants: options.grant.map(parseGrant) });
      showOne(context, options, made, [
        ['role', made.name],
        ['id', made.id],
        ['grants', made.grants.map(grantText).join(' ')],
      ]);
    });

  leaf(roles, 'update <id>', 'Change what a role gives, at once for everyone who has it')
    .requiredOption('--grant <grant...>', 'all that it gives from now on')
    .addHelpText('after', GRANT_HELP)
    .action(async (id: string, _options: unknown, command: Command) => {
      const options = optionsOf<GrantOptions>(command);
      const { api } = await context.hcp(options);
      const changed = await api.roles.update(id, { grants: options.grant.map(parseGrant) });
      showOne(context, options, changed, [
        ['role', changed.name],
        ['grants', changed.grants.map(grantText).join(' ')],
      ]);
    });

  const remove = 'Delete a role, and take it from everyone who has it';
  act(context, roles, 'delete <id>', remove, ({ api }, id = '') => api.roles.delete(id), 'is deleted');
}

import type { Tenant } from '@hcp/contracts';
import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { act, showList, showOne } from './group.js';
import { showInvitation } from './invitations.js';
import { leaf, optionsOf } from './leaf.js';

type CreateOptions = CommonOptions & { readonly owner: string; readonly name?: string };

const stateOf = (tenant: Tenant): string => (tenant.stopped_at === null ? 'ok' : `stopped since ${tenant.stopped_at}`);

/** SPEC T3: for platform operators. */
export function registerTenants(program: Command, context: Context): void {
  const tenants = program.command('tenants').description('List, make and stop tenants, as a platform operator');

  leaf(tenants, 'list', 'List tenants').action(async (_options: unknown, command: Command) => {
    const options = optionsOf(command);
    const { api } = await context.hcp(options);
    await showList(context, options, (query) => api.tenants.list(query), {
      head: ['TENANT', 'SLUG', 'NAME', 'STATE', 'SINCE'],
      row: (each) => [each.id, each.slug, each.name, stateOf(each), each.created_at],
    });
  });

  leaf(tenants, 'create <slug>', 'Make a tenant and invite its first owner')
    .requiredOption('--owner <email>', 'who owns it')
    .option('--name <name>', 'what it is called (default: the slug)')
    .action(async (slug: string, _options: unknown, command: Command) => {
      const options = optionsOf<CreateOptions>(command);
      const body = { slug, name: options.name ?? slug, owner_email: options.owner };
      const made = await (await context.hcp(options)).api.tenants.create(body);
      if (options.json === true) {
        context.ui.json(made);
        return;
      }
      context.ui.note(`tenant ${made.id}`);
      showInvitation(context, options, made.invitation);
    });

  leaf(tenants, 'show <id>', 'Show a tenant').action(async (id: string, _options: unknown, command: Command) => {
    const options = optionsOf(command);
    const found = await (await context.hcp(options)).api.tenants.get(id);
    showOne(context, options, found, [
      ['tenant', found.id],
      ['slug', found.slug],
      ['name', found.name],
      ['state', stateOf(found)],
    ]);
  });

  leaf(tenants, 'invite-owner <id> <email>', 'Invite an owner anew, while there is none').action(
    async (id: string, email: string, _options: unknown, command: Command) => {
      const options = optionsOf(command);
      showInvitation(context, options, await (await context.hcp(options)).api.tenants.inviteOwner(id, email));
    },
  );

  const stop = 'Stop a tenant at once: people, keys, queued and running runs';
  act(context, tenants, 'stop <id>', stop, ({ api }, id = '') => api.tenants.stop(id), 'is stopped');
  act(context, tenants, 'resume <id>', 'Let a tenant go on', ({ api }, id = '') => api.tenants.resume(id), 'goes on');
}

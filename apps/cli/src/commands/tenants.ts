import type { Tenant } from '@hcp/contracts';
import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { act, showList, showOne } from './group.js';
import { showInvitation } from './invitations.js';
import { tenantId } from './names.js';
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

  leaf(tenants, 'show <tenant>', 'Show a tenant: slug, name or id').action(
    async (tenant: string, _options: unknown, command: Command) => {
      const options = optionsOf(command);
      const hcp = await context.hcp(options);
      const found = await hcp.api.tenants.get(await tenantId(hcp, tenant));
      showOne(context, options, found, [
        ['tenant', found.id],
        ['slug', found.slug],
        ['name', found.name],
        ['state', stateOf(found)],
      ]);
    },
  );

  leaf(tenants, 'invite-owner <tenant> <email>', 'Invite an owner anew, while there is none').action(
    async (tenant: string, email: string, _options: unknown, command: Command) => {
      const options = optionsOf(command);
      const hcp = await context.hcp(options);
      showInvitation(context, options, await hcp.api.tenants.inviteOwner(await tenantId(hcp, tenant), email));
    },
  );

  const stop = 'Stop a tenant at once: people, keys, queued and running runs';
  act(
    context,
    tenants,
    'stop <tenant>',
    stop,
    async (hcp, tenant = '') => hcp.api.tenants.stop(await tenantId(hcp, tenant)),
    'is stopped',
  );
  act(
    context,
    tenants,
    'resume <tenant>',
    'Let a tenant go on',
    async (hcp, tenant = '') => hcp.api.tenants.resume(await tenantId(hcp, tenant)),
    'goes on',
  );
}

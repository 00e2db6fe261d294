import type { Member } from '@hcp/contracts';
import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { act, type Client, given, showList, showOne } from './group.js';
import { optionalProject, principalId } from './names.js';
import { leaf, optionsOf } from './leaf.js';

const rolesOf = (member: Member): string =>
  member.roles.map(({ role, project_id }) => (project_id === null ? role : `${role}@${project_id}`)).join(' ');

/** By id, name or email. */
const who = (hcp: Client, text: string): Promise<string> => principalId(hcp, text, 'the principal');

/** Principals of every kind: who they are, what roles they have, and the switch that stops them (SPEC T2, T5). */
export function registerMembers(program: Command, context: Context): void {
  const members = program.command('members').description('List, stop and remove principals, and give them roles');

  leaf(members, 'list', 'List people, agents and services').action(async (_options: unknown, command: Command) => {
    const options = optionsOf(command);
    const { api } = await context.hcp(options);
    await showList(context, options, (query) => api.members.list(query), {
      head: ['PRINCIPAL', 'KIND', 'NAME', 'EMAIL', 'ROLES', 'STATE'],
      row: (each) => [
        each.id,
        each.kind,
        each.name,
        each.email ?? '-',
        rolesOf(each),
        each.disabled ? 'disabled' : 'ok',
      ],
    });
  });

  leaf(members, 'show <id>', 'Show a principal').action(async (id: string, _options: unknown, command: Command) => {
    const options = optionsOf(command);
    const hcp = await context.hcp(options);
    const found = await hcp.api.members.get(await who(hcp, id));
    showOne(context, options, found, [
      ['principal', `${found.name} (${found.kind}) ${found.id}`],
      ['email', found.email],
      ['acts for', found.acts_for],
      ['state', found.disabled ? 'disabled' : 'ok'],
      ...found.roles.map(({ id: assignment, role, project_id }): [string, string] => [
        'role',
        `${role}${project_id === null ? '' : ` in ${project_id}`} (assignment ${assignment})`,
      ]),
    ]);
  });

  leaf(members, 'assign <id> <role>', 'Give a role')
    .option('--project <id>', 'in this project alone: name or id')
    .action(async (id: string, role: string, _options: unknown, command: Command) => {
      const options = optionsOf<CommonOptions & { project?: string }>(command);
      const hcp = await context.hcp(options);
      const body = { role, ...given({ project_id: await optionalProject(hcp, options.project) }) };
      const made = await hcp.api.members.assignRole(await who(hcp, id), body);
      showOne(context, options, made, [
        ['assignment', made.id],
        ['role', made.role],
        ['project', made.project_id],
      ]);
    });

  act(
    context,
    members,
    'unassign <id> <assignment>',
    'Take a role away',
    async (hcp, id = '', assignment = '') => hcp.api.members.unassignRole(await who(hcp, id), assignment),
    'has that role no longer',
  );
  act(
    context,
    members,
    'disable <id>',
    'Stop a principal at once: sessions, keys, queued and running runs',
    async (hcp, id = '') => hcp.api.members.disable(await who(hcp, id)),
    'is disabled',
  );
  act(
    context,
    members,
    'enable <id>',
    'Let a principal go on',
    async (hcp, id = '') => hcp.api.members.enable(await who(hcp, id)),
    'is enabled',
  );
  act(
    context,
    members,
    'remove <id>',
    'Disable a principal and take away all it has',
    async (hcp, id = '') => hcp.api.members.delete(await who(hcp, id)),
    'is removed',
  );
}

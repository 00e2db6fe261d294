import type { Command } from 'commander';
import type { Context } from '../context.js';
import { act, type Client, showList, showOne } from './group.js';
import { principalId, projectId } from './names.js';
import { leaf, optionsOf } from './leaf.js';

export function registerProjects(program: Command, context: Context): void {
  const projects = program.command('projects').description('List, make and change projects and their members');

  leaf(projects, 'list', 'List projects').action(async (_options: unknown, command: Command) => {
    const options = optionsOf(command);
    const { api } = await context.hcp(options);
    await showList(context, options, (query) => api.projects.list(query), {
      head: ['PROJECT', 'NAME', 'SINCE'],
      row: (each) => [each.id, each.name, each.created_at],
    });
  });

  leaf(projects, 'create <name>', 'Make a project').action(
    async (name: string, _options: unknown, command: Command) => {
      const options = optionsOf(command);
      const made = await (await context.hcp(options)).api.projects.create({ name });
      showOne(context, options, made, [
        ['project', made.id],
        ['name', made.name],
      ]);
    },
  );

  leaf(projects, 'show <id>', 'Show a project and its members').action(
    async (id: string, _options: unknown, command: Command) => {
      const options = optionsOf(command);
      const hcp = await context.hcp(options);
      const found = await hcp.api.projects.get(await projectId(hcp, id, 'the project'));
      showOne(context, options, found, [
        ['project', found.id],
        ['name', found.name],
        ['members', found.members.join(' ')],
      ]);
    },
  );

  const rename = 'Give a project another name';
  act(
    context,
    projects,
    'rename <id> <name>',
    rename,
    async (hcp, id = '', name = '') => hcp.api.projects.update(await projectId(hcp, id, 'the project'), { name }),
    'is renamed',
  );
  act(
    context,
    projects,
    'delete <id>',
    'Delete a project that nothing refers to',
    async (hcp, id = '') => hcp.api.projects.delete(await projectId(hcp, id, 'the project')),
    'is deleted',
  );
  act(
    context,
    projects,
    'add-member <id> <principal>',
    'Make a principal a member',
    async (hcp, id = '', principal = '') => hcp.api.projects.addMember(...(await both(hcp, id, principal))),
    'has that member',
  );
  act(
    context,
    projects,
    'remove-member <id> <principal>',
    'Take a member out',
    async (hcp, id = '', principal = '') => hcp.api.projects.removeMember(...(await both(hcp, id, principal))),
    'has that member no longer',
  );
}

/** Each by name or id. */
const both = async (hcp: Client, project: string, principal: string): Promise<[string, string]> => [
  await projectId(hcp, project, 'the project'),
  await principalId(hcp, principal, 'the principal'),
];

import type { Agent } from '@hcp/contracts';
import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { act, type Client, showList, showOne } from './group.js';
import { principalId } from './names.js';
import { leaf, optionsOf } from './leaf.js';

interface CreateOptions extends CommonOptions {
  readonly service?: boolean;
  readonly actsForMe?: boolean;
}

const fields = (agent: Agent): [string, string | null][] => [
  ['principal', agent.id],
  ['kind', agent.kind],
  ['name', agent.name],
  ['acts for', agent.acts_for],
  ['state', agent.disabled ? 'disabled' : 'ok'],
];

/** By id or name. */
const who = (hcp: Client, text: string): Promise<string> => principalId(hcp, text, 'the agent');

/** SPEC T2. */
export function registerAgents(program: Command, context: Context): void {
  const agents = program.command('agents').description('List, make and stop agents and services');

  leaf(agents, 'list', 'List agents and services').action(async (_options: unknown, command: Command) => {
    const options = optionsOf(command);
    const { api } = await context.hcp(options);
    await showList(context, options, (query) => api.agents.list(query), {
      head: ['PRINCIPAL', 'KIND', 'NAME', 'ACTS FOR', 'STATE'],
      row: (each) => [each.id, each.kind, each.name, each.acts_for ?? '-', each.disabled ? 'disabled' : 'ok'],
    });
  });

  leaf(agents, 'create <name>', 'Make an agent, without any rights yet')
    .option('--service', 'a service instead')
    .option('--acts-for-me', 'it acts for you, and does only what both may')
    .action(async (name: string, _options: unknown, command: Command) => {
      const options = optionsOf<CreateOptions>(command);
      const kind = options.service === true ? ('service' as const) : ('agent' as const);
      const body = { name, kind, ...(options.actsForMe === true ? { acts_for_me: true } : {}) };
      const made = await (await context.hcp(options)).api.agents.create(body);
      showOne(context, options, made, fields(made));
    });

  leaf(agents, 'show <id>', 'Show an agent or a service').action(
    async (id: string, _options: unknown, command: Command) => {
      const options = optionsOf(command);
      const hcp = await context.hcp(options);
      const found = await hcp.api.agents.get(await who(hcp, id));
      showOne(context, options, found, fields(found));
    },
  );

  act(
    context,
    agents,
    'disable <id>',
    'Stop it at once',
    async (hcp, id = '') => hcp.api.agents.delete(await who(hcp, id)),
    'is disabled',
  );
  act(
    context,
    agents,
    'act-for-me <id>',
    'Let it act for you',
    async (hcp, id = '') => hcp.api.agents.actForMe(await who(hcp, id)),
    'acts for you',
  );
  act(
    context,
    agents,
    'end-acts-for <id>',
    'End that it acts for you',
    async (hcp, id = '') => hcp.api.agents.endActsFor(await who(hcp, id)),
    'acts for you no longer',
  );
}

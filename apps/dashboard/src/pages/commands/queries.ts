import { queryOptions } from '@tanstack/react-query';
import { items } from '@hcp/sdk';
import type { CommandInfo, PageQuery } from '@hcp/contracts';
import { api } from '../../app/api.js';

/** Every command, to search in: a tenant has hundreds, not more. */
export const COMMANDS = queryOptions({
  queryKey: ['commands'],
  queryFn: async () => {
    const all: CommandInfo[] = [];
    for await (const command of items((query) => api.commands.list({ ...query, limit: 200 }))) all.push(command);
    return all;
  },
});

/** What calls of a pack's commands would get in a project. */
export const commandsIn = (project_id: string, pack_id: string) =>
  queryOptions({
    queryKey: ['commands', pack_id, project_id],
    queryFn: async () => {
      const all: CommandInfo[] = [];
      const page = (query: PageQuery) => api.commands.list({ ...query, pack_id, project_id, limit: 200 });
      for await (const command of items(page)) all.push(command);
      return all;
    },
  });

import { queryOptions } from '@tanstack/react-query';
import { items } from '@hcp/sdk';
import type { CommandInfo } from '@hcp/contracts';
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

import { queryOptions } from '@tanstack/react-query';
import { items } from '@hcp/sdk';
import type { AccessRuleRecord } from '@hcp/contracts';
import { api } from '../../app/api.js';
import { queryClient } from '../../app/queries.js';

export const ACCESS = queryOptions({ queryKey: ['access', 'effective'], queryFn: () => api.access.get() });

export const RULES = queryOptions({
  queryKey: ['access', 'rules'],
  queryFn: async () => {
    const all: AccessRuleRecord[] = [];
    for await (const rule of items((query) => api.access.rules({ ...query, limit: 200 }))) all.push(rule);
    return all;
  },
});

/** After a change: what is in force, and with it what each command would get. */
export async function accessChanged(): Promise<void> {
  await Promise.all(['access', 'commands'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
}

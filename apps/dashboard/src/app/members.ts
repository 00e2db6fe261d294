import { queryOptions } from '@tanstack/react-query';
import { items } from '@hcp/sdk';
import type { Member } from '@hcp/contracts';
import { api } from './api.js';

/** Every principal of the tenant, to choose from; for who manages access. */
export const MEMBERS = queryOptions({
  queryKey: ['members', 'all'],
  queryFn: async () => {
    const all: Member[] = [];
    for await (const member of items((query) => api.members.list({ ...query, limit: 200 }))) all.push(member);
    return all;
  },
});

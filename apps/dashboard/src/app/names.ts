import { useQuery } from '@tanstack/react-query';
import { items } from '@hcp/sdk';
import { escapeInvisible } from '@hcp/core';
import { api } from './api.js';
import { shortId } from './format.js';
import { may, useMe } from './session.js';

/** Names of principals where this person may read them; else what they are. */
export function useNames(): (id: string, kind?: string | null) => string {
  const me = useMe();
  const members = useQuery({
    queryKey: ['members', 'names'],
    enabled: may(me, 'access.manage'),
    staleTime: 5 * 60_000,
    queryFn: async () => {
      const names = new Map<string, string>();
      for await (const { id, name } of items((query) => api.members.list(query))) names.set(id, name);
      return names;
    },
  });
  return (id, kind) => {
    if (id === me.principal.id) return 'you';
    const name = members.data?.get(id);
    if (name !== undefined) return escapeInvisible(name);
    const what =
      kind === 'agent' ? 'agent' : kind === 'service' ? 'service' : kind === 'human' ? 'person' : 'principal';
    return `${what} …${shortId(id)}`;
  };
}

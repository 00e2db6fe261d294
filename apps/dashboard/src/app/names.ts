import { useQuery } from '@tanstack/react-query';
import { items } from '@hcp/sdk';
import { api } from './api.js';
import { may, useMe } from './session.js';
import { nameOr } from './who.js';

/** Names by principal, as they are stored, where this person may read them. */
export function useNamed(): ReadonlyMap<string, string> | undefined {
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
  return members.data;
}

/** For rows of the audit log, which tell ids alone: names where this person may read them; else what they are. */
export function useNames(): (id: string, kind?: string | null) => string {
  const me = useMe();
  const named = useNamed();
  return (id, kind) => (id === me.principal.id ? 'you' : nameOr(named?.get(id), id, kind));
}

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { items } from '@hcp/sdk';
import type { PackSummary } from '@hcp/contracts';
import { api } from '../../app/api.js';
import { queryClient } from '../../app/queries.js';

const PAGE = 50;

export const bindingPages = (pack_id?: string) =>
  infiniteQueryOptions({
    queryKey: ['bindings', 'pages', pack_id ?? ''],
    queryFn: ({ pageParam }) =>
      api.bindings.list({ limit: PAGE, ...(pack_id && { pack_id }), ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** What a person has to connect again, as many as a banner shows. */
export const STALE = queryOptions({
  queryKey: ['bindings', 'stale'],
  queryFn: () => api.bindings.list({ stale: '1', limit: 20 }),
});

export const bindingQuery = (id: string) =>
  queryOptions({ queryKey: ['bindings', 'one', id], queryFn: () => api.bindings.get(id) });

/** Packs that run here and need a credential, to choose from. */
export const PACKS_TO_CONNECT = queryOptions({
  queryKey: ['packs', 'to connect'],
  queryFn: async () => {
    const found: PackSummary[] = [];
    for await (const pack of items((query) => api.packs.list({ ...query, limit: 200 }))) {
      if (pack.needs_binding && pack.activations.length > 0) found.push(pack);
    }
    return found;
  },
});

export const packQuery = (pack_id: string) =>
  queryOptions({ queryKey: ['packs', 'one', pack_id], queryFn: () => api.packs.get(pack_id) });

const LOOK_MS = 1500;

/** How far a person has come on the way to a provider and back; no event tells of it. */
export const connectionQuery = (id: string) =>
  queryOptions({
    queryKey: ['connections', id],
    queryFn: async () => {
      const connection = await api.bindings.connection(id);
      if (connection.status === 'connected') void bindingsChanged();
      return connection;
    },
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data === undefined || ['pending', 'started'].includes(state.data.status) ? LOOK_MS : false,
    // The person is in another tab meanwhile.
    refetchIntervalInBackground: true,
  });

/** After a change: the bindings, what tells of those that are stale, and which packs and commands have what they need. */
export async function bindingsChanged(): Promise<void> {
  const touched = ['bindings', 'overview', 'sense', 'packs', 'commands'];
  await Promise.all(touched.map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
}

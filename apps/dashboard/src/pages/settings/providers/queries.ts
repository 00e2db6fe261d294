import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { items } from '@hcp/sdk';
import { api } from '../../../app/api.js';
import { queryClient } from '../../../app/queries.js';

export const PROVIDERS = infiniteQueryOptions({
  queryKey: ['providers'],
  queryFn: ({ pageParam }) => api.providers.list({ limit: 50, ...(pageParam && { cursor: pageParam }) }),
  initialPageParam: '',
  getNextPageParam: ({ next_cursor }) => next_cursor,
});

/** The services that packs here are for, as the packs name them. */
export const NAMED_PROVIDERS = queryOptions({
  queryKey: ['packs', 'providers'],
  queryFn: async () => {
    const names = new Set<string>();
    for await (const { provider, needs_binding } of items((query) => api.packs.list({ ...query, limit: 200 }))) {
      if (provider !== null && needs_binding) names.add(provider);
    }
    return [...names].sort();
  },
});

/** After a change: what can be connected how, and what has become stale. */
export async function providersChanged(): Promise<void> {
  const touched = ['providers', 'packs', 'bindings', 'overview', 'sense'];
  await Promise.all(touched.map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
}

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { items } from '@hcp/sdk';
import type { ListSenseQuery, PackSummary, SenseEvent } from '@hcp/contracts';
import { api } from '../../app/api.js';
import { queryClient } from '../../app/queries.js';

/** Events and sources are fetched anew. */
export const senseChanged = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['sense'] });

const COUNTED = 100;

/** How many open events are more than news, for the badge of the navigation. */
export const SENSE_COUNT = queryOptions({
  queryKey: ['sense', 'count'],
  queryFn: async () => {
    const of = (severity: SenseEvent['severity']) => api.sense.list({ severity, limit: COUNTED });
    const pages = await Promise.all([of('warning'), of('error')]);
    return {
      count: pages.reduce((sum, { items: found }) => sum + found.length, 0),
      more: pages.some(({ next_cursor }) => next_cursor !== null),
    };
  },
});

export type SenseFilters = Pick<ListSenseQuery, 'open' | 'severity'>;

export const sensePages = ({ open, severity }: SenseFilters) =>
  infiniteQueryOptions({
    queryKey: ['sense', 'pages', open, severity],
    queryFn: ({ pageParam }) =>
      api.sense.list({
        limit: 50,
        ...(open && { open }),
        ...(severity && { severity }),
        ...(pageParam && { cursor: pageParam }),
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export const SOURCES = infiniteQueryOptions({
  queryKey: ['sense', 'sources'],
  queryFn: ({ pageParam }) => api.sense.sources({ limit: 50, ...(pageParam && { cursor: pageParam }) }),
  initialPageParam: '',
  getNextPageParam: ({ next_cursor }) => next_cursor,
});

/** Packs that only look, and are active somewhere. */
export const SOURCE_PACKS = queryOptions({
  queryKey: ['packs', 'sources'],
  queryFn: async () => {
    const found: PackSummary[] = [];
    for await (const pack of items((query) => api.packs.list({ ...query, limit: 200 }))) {
      if (pack.kind === 'sense_only' && pack.activations.length > 0) found.push(pack);
    }
    return found;
  },
});

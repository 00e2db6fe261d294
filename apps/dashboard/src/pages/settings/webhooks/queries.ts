import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { DeliveryState } from '@hcp/contracts';
import { api } from '../../../app/api.js';
import { queryClient } from '../../../app/queries.js';

/** How often a page with messages that wait looks again: the worker sends them, and no event tells of it. */
const LOOK_AGAIN_MS = 2000;

export const webhookPages = infiniteQueryOptions({
  queryKey: ['webhooks', 'pages'],
  queryFn: ({ pageParam }) => api.webhooks.list({ limit: 50, ...(pageParam !== '' && { cursor: pageParam }) }),
  initialPageParam: '',
  getNextPageParam: ({ next_cursor }) => next_cursor,
});

export const webhookOf = (id: string) =>
  queryOptions({ queryKey: ['webhooks', id], queryFn: () => api.webhooks.get(id) });

export const deliveriesOf = (id: string, state: DeliveryState | null) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', id, state],
    queryFn: ({ pageParam }) =>
      api.webhooks.deliveries(id, {
        limit: 50,
        ...(state !== null && { state }),
        ...(pageParam !== '' && { cursor: pageParam }),
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some(({ state }) => state === 'pending')) === true ? LOOK_AGAIN_MS : false,
  });

export async function webhooksChanged(): Promise<void> {
  await Promise.all(['webhooks', 'deliveries'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
}

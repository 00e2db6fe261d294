import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ListApprovalsQuery } from '@hcp/contracts';
import { api } from '../../app/api.js';

/** The requests that wait for a person, for the badge of the navigation too. */
export const WAITING = queryOptions({
  queryKey: ['approvals', 'waiting'],
  queryFn: () => api.approvals.list({ state: 'pending', limit: 200 }),
});

type State = ListApprovalsQuery['state'];

export const approvalPages = (state: State) =>
  infiniteQueryOptions({
    queryKey: ['approvals', 'pages', state ?? 'all'],
    queryFn: ({ pageParam }) =>
      api.approvals.list({ limit: 25, ...(state && { state }), ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** `full`: the card was opened in full; only then does a card that is cut tell its digest. */
export const approvalQuery = (id: string, full: boolean) =>
  queryOptions({ queryKey: ['approval', id, full ? 'full' : 'short'], queryFn: () => api.approvals.get(id, { full }) });

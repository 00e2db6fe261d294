import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { items } from '@hcp/sdk';
import type { Role } from '@hcp/contracts';
import { api } from '../../../app/api.js';
import { queryClient } from '../../../app/queries.js';

export const issuerPages = infiniteQueryOptions({
  queryKey: ['oidc-issuers', 'pages'],
  queryFn: ({ pageParam }) => api.oidcIssuers.list({ limit: 50, ...(pageParam !== '' && { cursor: pageParam }) }),
  initialPageParam: '',
  getNextPageParam: ({ next_cursor }) => next_cursor,
});

/** Every role, to choose from. */
export const ROLES = queryOptions({
  queryKey: ['roles', 'all'],
  queryFn: async () => {
    const all: Role[] = [];
    for await (const role of items((query) => api.roles.list({ ...query, limit: 200 }))) all.push(role);
    return all;
  },
});

export const issuersChanged = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['oidc-issuers'] });

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../../../app/api.js';
import { queryClient } from '../../../app/queries.js';

export const tenantPages = infiniteQueryOptions({
  queryKey: ['tenants', 'pages'],
  queryFn: ({ pageParam }) => api.tenants.list({ limit: 50, ...(pageParam !== '' && { cursor: pageParam }) }),
  initialPageParam: '',
  getNextPageParam: ({ next_cursor }) => next_cursor,
});

export const ROOT_KEYS = queryOptions({ queryKey: ['root-keys'], queryFn: () => api.rootKeys.get() });

export const tenantsChanged = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['tenants'] });

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { proveEvent, webAuditCrypto } from '@hcp/sdk';
import { api } from '../../app/api.js';
import { type AuditSearch, queryOf } from './search.js';

export const auditPages = (search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', 'list', search],
    queryFn: ({ pageParam }) =>
      api.audit.list({ ...queryOf(search), limit: 50, ...(pageParam !== '' && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** An event never changes. */
export const eventQuery = (id: string) =>
  queryOptions({ queryKey: ['audit', 'event', id], queryFn: () => api.audit.get(id), staleTime: Infinity });

/** The event as it is fetched now, and its proof, checked here: nobody's word is taken for it. */
export const proofQuery = (id: string) =>
  queryOptions({
    queryKey: ['audit', 'proof', id],
    queryFn: async () => {
      const [event, proof] = [await api.audit.get(id), await api.audit.proof(id)];
      return { proof, proven: await proveEvent(webAuditCrypto, event, proof) };
    },
  });

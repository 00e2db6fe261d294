import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ListRunsQuery, RunSummary } from '@hcp/contracts';
import { api } from '../../app/api.js';
import { RUNS } from '../../app/run-cache.js';

export interface RunFilters {
  readonly status?: RunSummary['status'] | undefined;
  readonly pack_id?: string | undefined;
}

const PAGE = 50;

/** A page at a time: as many as were scrolled to, however many there are. */
export const runPages = ({ status, pack_id }: RunFilters) =>
  infiniteQueryOptions({
    queryKey: [RUNS, { status, pack_id }],
    queryFn: ({ pageParam }) => {
      const query: ListRunsQuery = { limit: PAGE };
      if (status) query.status = status;
      if (pack_id) query.pack_id = pack_id;
      if (pageParam !== '') query.cursor = pageParam;
      return api.runs.list(query);
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export const runQuery = (id: string) => queryOptions({ queryKey: ['run', id], queryFn: () => api.runs.get(id) });

const OPEN: ReadonlySet<RunSummary['status']> = new Set(['queued', 'starting', 'running']);
/** Whether it may still change. */
export const isOpen = (status: RunSummary['status']): boolean => OPEN.has(status);

import { queryOptions } from '@tanstack/react-query';
import type { RunSummary } from '@hcp/contracts';
import { api } from '../../app/api.js';

export const overviewQuery = queryOptions({ queryKey: ['overview', 'numbers'], queryFn: () => api.overview() });

const FAILED = ['failed', 'timed_out', 'unknown'] as const satisfies RunSummary['status'][];
const SHOWN = 5;

/** The newest runs that did not work. */
export const failedQuery = queryOptions({
  queryKey: ['overview', 'failed'],
  queryFn: async () => {
    const pages = await Promise.all(FAILED.map((status) => api.runs.list({ status, limit: SHOWN })));
    const runs = pages.flatMap(({ items }) => items);
    return runs.sort((a, b) => b.created_at.localeCompare(a.created_at)).slice(0, SHOWN);
  },
});

import type { InfiniteData } from '@tanstack/react-query';
import type { Page, RunSummary, TenantEvent } from '@hcp/contracts';
import { queryClient } from './queries.js';

export const RUNS = 'runs';
type Pages = InfiniteData<Page<RunSummary>, string | undefined>;

/**
 * A run in lists that may be long: its row changes in place, and a new one makes a list of one page fetch that page. A list
 * that somebody scrolled is not fetched again from its beginning; it says that there are newer ones.
 */
export function runChanged({ run_id, status }: Extract<TenantEvent, { type: 'run.updated' }>): void {
  for (const [queryKey, data] of queryClient.getQueriesData<Pages>({ queryKey: [RUNS] })) {
    if (data === undefined) continue;
    if (data.pages.length <= 1) {
      void queryClient.invalidateQueries({ queryKey, exact: true });
      continue;
    }
    let found = false;
    const pages = data.pages.map((page) => ({
      ...page,
      items: page.items.map((run) => {
        if (run.id !== run_id) return run;
        found = true;
        return { ...run, status };
      }),
    }));
    if (found) queryClient.setQueryData<Pages>(queryKey, { ...data, pages });
    else queryClient.setQueryData(['newer-runs'], true);
  }
}

import { queryOptions } from '@tanstack/react-query';
import type { RunSummary } from '@hcp/contracts';
import { api } from '../../app/api.js';
import type { Bucket } from './chart.js';

const HOUR_MS = 3_600_000;
const HOURS = 24;
type FailedRun = RunSummary & { status: 'failed' | 'timed_out' | 'unknown' };

const failed = (run: RunSummary): run is FailedRun => ['failed', 'timed_out', 'unknown'].includes(run.status);

/** The last day, of the newest runs that this person may see. */
export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: async () => {
    const { items } = await api.runs.list({ limit: 200 });
    const now = Date.now();
    const from = Math.floor(now / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS;
    const runs = items.filter(({ created_at }) => new Date(created_at).getTime() >= from);
    const buckets: Bucket[] = Array.from({ length: HOURS }, (_, index) => {
      const at = from + index * HOUR_MS;
      const within = runs.filter(({ created_at }) => {
        const time = new Date(created_at).getTime();
        return time >= at && time < at + HOUR_MS;
      });
      const bad = within.filter(failed).length;
      return { at: new Date(at).toISOString(), ok: within.length - bad, bad };
    });
    const bad = runs.filter(failed);
    return {
      running: items.filter(({ status }) => status === 'running' || status === 'starting').length,
      failed: bad.length,
      total: runs.length,
      buckets,
      recent_failed: bad.slice(0, 10),
    };
  },
});

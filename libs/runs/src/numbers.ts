import type { Caller } from '@hcp/core';
import { sql, type Run, type Tx } from '@hcp/database';
import { sees, seesEveryone } from './queries.js';

/** Numbers of runs that a caller may see. */
export interface RunNumbers {
  readonly queued: number;
  readonly running: number;
  readonly failed: number;
  /** Whole hours of UTC, oldest first, the one of `now` last. */
  readonly hours: readonly { readonly from: Date; readonly total: number; readonly failed: number }[];
}

const HOUR_MS = 3_600_000;
const HOURS = 24;
const FAILED: ReadonlySet<string> = new Set(['failed', 'timed_out', 'unknown']);

/** Runs that are alike in all that decides who may see them. */
interface Group extends Pick<Run, 'pack_id' | 'verb_key' | 'operation' | 'land' | 'project_id' | 'status'> {
  readonly own: boolean;
  /** Null for those that have not ended. */
  readonly hour: Date | null;
  readonly count: number;
}

/** Counted by the database; the rule is that of `listRuns`, asked once for each group of runs that are alike. */
export async function runNumbers(tx: Tx, caller: Caller, now: Date): Promise<RunNumbers> {
  const this_hour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  const since = new Date(this_hour - (HOURS - 1) * HOUR_MS);
  const groups = await grouped(tx, caller, since, now);
  const seen = groups.filter((group) => sees(caller, { ...group, ...whose(caller, group.own) }, now) !== null);
  const sum = (counts: (group: Group) => boolean): number =>
    seen.reduce((total, group) => (counts(group) ? total + group.count : total), 0);
  const hours = Array.from({ length: HOURS }, (_, index) => new Date(since.getTime() + index * HOUR_MS)).map((from) => {
    const at = ({ hour }: Group): boolean => hour?.getTime() === from.getTime();
    return { from, total: sum(at), failed: sum((group) => at(group) && FAILED.has(group.status)) };
  });
  return {
    queued: sum(({ hour, status }) => hour === null && status === 'queued'),
    running: sum(({ hour, status }) => hour === null && status !== 'queued'),
    failed: hours.reduce((total, { failed }) => total + failed, 0),
    hours,
  };
}

async function grouped(tx: Tx, caller: Caller, since: Date, now: Date): Promise<Group[]> {
  const me = caller.principal.id;
  const everyone = seesEveryone(caller, now);
  const only = caller.session.project_id;
  // Twice, because what waits or runs may have been asked for long ago, and each of the two has an index.
  return tx.$queryRaw<Group[]>(sql`
    WITH mine AS (
      SELECT NULL::timestamptz AS hour, r.* FROM runs r
        WHERE r.tenant_id = ${caller.tenant_id}::uuid AND r.status IN ('queued', 'starting', 'running')
      UNION ALL
      SELECT date_trunc('hour', r.created_at, 'UTC') AS hour, r.* FROM runs r
        WHERE r.tenant_id = ${caller.tenant_id}::uuid AND r.created_at >= ${since}
    )
    SELECT hour, pack_id, verb_key, operation, land, project_id, status,
           (principal_id = ${me}::uuid OR acts_for IS NOT DISTINCT FROM ${me}::uuid) AS own, count(*)::int AS count
      FROM mine
      WHERE (${only}::uuid IS NULL OR project_id = ${only}::uuid)
        AND (${everyone}::boolean OR principal_id = ${me}::uuid OR acts_for = ${me}::uuid)
      GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`);
}

/** Somebody, for the rule: the caller, or anyone else. */
const whose = ({ principal }: Caller, own: boolean): Pick<Run, 'principal_id' | 'acts_for'> => ({
  principal_id: own ? principal.id : '',
  acts_for: null,
});

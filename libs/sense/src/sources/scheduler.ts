import type { Caller, Denial } from '@hcp/core';
import { sql, type Database, type SenseSource, type Tx } from '@hcp/database';
import { packUnavailable } from '../kinds.js';
import { raise } from '../raise.js';
import { clearFailures, pausedKey } from './publish.js';
import { recordSourceAct } from './records.js';
import { mayEnable } from './rights.js';

export type StartLook = (
  tx: Tx,
  looker: Caller,
  look: { readonly pack_id: string; readonly verb_key: string; readonly source_id: string },
) => Promise<{ readonly ok: true; readonly run_id: string } | { readonly ok: false; readonly denial: Denial }>;

export interface SchedulerDeps {
  readonly db: Database;
  /** Who comes with the source's session, as of now. */
  readonly looker: (
    tx: Tx,
    source: SenseSource,
  ) => Promise<{ readonly ok: true; readonly caller: Caller } | { readonly ok: false; readonly reason: string }>;
  /** The commands of the pack as it is active there; null where none is. */
  readonly commands: (tx: Tx, looker: Caller, source: SenseSource) => Promise<readonly string[] | null>;
  /** Makes a look a run, in the transaction of the tick, or refuses it; asks nobody. */
  readonly start: StartLook;
  /** Puts a run in line once the tick has committed. */
  readonly enqueue: (tenant_id: string, run_id: string) => Promise<void>;
  readonly onError: (error: Error) => void;
}

const BATCH = 100;

/**
 * Refusals that are no end of a right: the pack may be active again, the platform's settings better, by the next tick.
 */
const PASSING: ReadonlySet<string> = new Set(['rate_limited', 'audit_unavailable', 'mint_failed', 'internal']);
const INACTIVE: ReadonlySet<string> = new Set(['unknown_pack', 'pack_not_activated']);

/** Starts the looks of sources whose time has come; any number of workers do so together (SPEC W8). */
export class SourceScheduler {
  constructor(private readonly deps: SchedulerDeps) {}

  /** @returns how many looks were started */
  async look(): Promise<number> {
    const { db, enqueue, onError } = this.deps;
    const due = await db.reaper((tx) =>
      tx.$queryRaw<Pick<SenseSource, 'tenant_id' | 'id'>[]>(sql`
        select tenant_id::text, id::text from sense_sources
        where enabled and paused_at is null and next_at <= clock_timestamp() order by next_at limit ${BATCH}`),
    );
    let started = 0;
    for (const { tenant_id, id } of due) {
      try {
        const runs = await db.tenant(tenant_id, (tx) => this.tick(tx, tenant_id, id));
        for (const run_id of runs) await enqueue(tenant_id, run_id);
        started += runs.length;
      } catch (error) {
        // One source that cannot be looked at must not keep the others from it.
        onError(error as Error);
      }
    }
    return started;
  }

  /** One tick of one source belongs to the worker that moves its clock on; its runs are written with that or not at all. */
  private async tick(tx: Tx, tenant_id: string, id: string): Promise<string[]> {
    const taken = await tx.$queryRaw<unknown[]>(sql`
      with mine as (
        select tenant_id, id from sense_sources
        where tenant_id = ${tenant_id}::uuid and id = ${id}::uuid and enabled and paused_at is null
          and next_at <= clock_timestamp()
          and exists (select from tenants t where t.id = sense_sources.tenant_id and t.stopped_at is null)
        for update skip locked
      )
      update sense_sources s set next_at = clock_timestamp() + s.every_s * interval '1 second'
      from mine where s.tenant_id = mine.tenant_id and s.id = mine.id returning 1`);
    if (taken.length === 0) return [];
    const source = await tx.senseSource.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id, id } } });
    const { looker, commands, start } = this.deps;
    const reloaded = await looker(tx, source);
    if (!reloaded.ok) return pause(tx, source, 'rights_ended');
    const { caller } = reloaded;
    if (!mayEnable(caller, source, new Date())) return pause(tx, source, 'missing_capability');
    const verbs = await commands(tx, caller, source);
    if (verbs === null) {
      await packUnavailable(tx, source, 'inactive');
      return [];
    }
    const runs: string[] = [];
    for (const verb_key of verbs) {
      // The last look has not ended: another beside it would only queue up.
      if (await isLooking(tx, source, verb_key)) continue;
      const begun = await start(tx, caller, { pack_id: source.pack_id, verb_key, source_id: id });
      if (begun.ok) runs.push(begun.run_id);
      else if (INACTIVE.has(begun.denial.code)) await packUnavailable(tx, source, 'inactive');
      else if (!PASSING.has(begun.denial.code)) return [...runs, ...(await pause(tx, source, begun.denial.code))];
    }
    return runs;
  }
}

async function isLooking(tx: Tx, { tenant_id, id }: SenseSource, verb_key: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>(sql`
    select 1 from runs where tenant_id = ${tenant_id}::uuid and sense_source_id = ${id}::uuid and verb_key = ${verb_key}
      and status in ('queued', 'starting', 'running') limit 1`);
  return rows.length > 0;
}

/** Whoever enabled it may not any more, or its commands would ask or be denied: it stays off until somebody enables it anew. */
async function pause(tx: Tx, source: SenseSource, reason: string): Promise<string[]> {
  const { tenant_id, id, pack_id, project_id } = source;
  const paused = await tx.senseSource.update({
    where: { tenant_id_id: { tenant_id, id } },
    data: { paused_at: new Date(), paused_reason: reason },
  });
  await raise(tx, {
    ...{ tenant_id, pack_id, project_id },
    kind: 'source_paused',
    severity: 'error',
    subject: `sense_source:${id}`,
    message: `The source ${pack_id} is paused: ${reason}. Nobody looks until it is enabled again: hcpx sense enable ${pack_id}.`,
    dedupe_key: pausedKey(source),
  });
  await clearFailures(tx, source);
  await recordSourceAct(tx, null, 'sense.pause', paused);
  return [];
}

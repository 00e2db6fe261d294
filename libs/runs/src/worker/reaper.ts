import { appendAudit } from '@hcp/audit';
import type { Database, Run } from '@hcp/database';
import type { Bus, RunQueue } from '@hcp/queue';
import { runFacts } from '../audit-facts.js';
import type { TenantKeys } from '../ports.js';
import { tellRun, tellRunEnd } from '../tell.js';
import { complete } from './complete.js';

/** A queued run older than this that no worker has taken is put in line again: its job may have been lost. */
const LOST_JOB_MS = 15_000;
const BATCH = 200;

export interface ReaperDeps {
  readonly db: Database;
  readonly keys: TenantKeys;
  readonly queue: RunQueue;
  readonly bus: Bus;
  readonly onError: (error: Error) => void;
}

/**
 * Mends what dead workers and lost jobs leave behind. A write whose worker died is never run again: nobody knows how
 * far it came, so it ends `unknown`. A read may be tried once more (SPEC R2).
 */
export async function reap(deps: ReaperDeps): Promise<void> {
  const now = new Date();
  const ended = await deps.db.reaper((tx) =>
    tx.run.findMany({
      where: {
        OR: [
          { status: { in: ['starting', 'running'] }, lease_until: { lt: now } },
          { status: 'queued', queue_deadline: { lt: now } },
        ],
      },
      orderBy: { created_at: 'asc' },
      take: BATCH,
    }),
  );
  const again: Run[] = [];
  for (const run of ended) {
    try {
      if (await mend(deps, run)) again.push(run);
    } catch (error) {
      // One run that cannot be ended must not keep the others from theirs.
      deps.onError(error as Error);
    }
  }
  const waiting = await deps.db.reaper((tx) =>
    tx.run.findMany({
      where: { status: 'queued', created_at: { lt: new Date(now.getTime() - LOST_JOB_MS) } },
      select: { tenant_id: true, id: true, attempts: true },
      orderBy: { created_at: 'asc' },
      take: BATCH,
    }),
  );
  // The queue ignores what is in line already, and turns of one run that meet become one. What cannot be put there now
  // is tried with the next look.
  for (const { tenant_id, id, attempts } of [...again, ...waiting]) {
    await deps.queue.enqueue({ tenant_id, run_id: id }, { attempt: attempts });
  }
  for (const { tenant_id, id } of ended) await deps.bus.publish('run.changed', { tenant_id, run_id: id });
}

/**
 * Answers whether the run is to be put in line again. Only writes to the database: a queue or a bus that is lost must
 * not keep the other runs from their end.
 */
async function mend(deps: ReaperDeps, run: Run): Promise<boolean> {
  if (run.status === 'queued') {
    await complete(deps, run, { attempt_id: null, status: 'queued' }, run.attempts > 0 ? RETRY_TIMEOUT : QUEUE_TIMEOUT);
  } else if (mayRetry(run)) {
    return requeue(deps, run);
  } else {
    await expire(deps, run);
  }
  return false;
}

/** A yes covers one start: what a person approved is not started again without another (SPEC V2). */
export function mayRetry(
  run: Pick<Run, 'operation' | 'idempotent' | 'attempts' | 'approval_id' | 'attested_id'>,
): boolean {
  const approved = run.approval_id !== null || run.attested_id !== null;
  return run.operation === 'read' && run.idempotent && run.attempts < 2 && !approved;
}

async function requeue({ db }: ReaperDeps, run: Run): Promise<boolean> {
  return db.tenant(run.tenant_id, async (tx) => {
    const count = await tx.$executeRaw`
      update runs set status = 'queued', attempt_id = null, lease_until = null
      where tenant_id = ${run.tenant_id}::uuid and id = ${run.id}::uuid and attempt_id = ${run.attempt_id}::uuid
        and status in ('starting', 'running') and lease_until < clock_timestamp()`;
    if (count === 0) return false;
    await tx.workspaceLock.deleteMany({ where: { tenant_id: run.tenant_id, run_id: run.id } });
    await tx.runOutput.deleteMany({ where: { tenant_id: run.tenant_id, run_id: run.id } });
    await appendAudit(tx, { ...runFacts(run), action: 'run.retry', reason: 'worker lost' });
    await tellRun(tx, run, 'queued');
    return true;
  });
}

/** Gives up on an attempt whose lease ran out; if its worker lives after all, its own end replaces this one. */
async function expire({ db }: ReaperDeps, run: Run): Promise<void> {
  await db.tenant(run.tenant_id, async (tx) => {
    const count = await tx.$executeRaw`
      update runs set status = 'unknown', ok = false, code = 'outcome_unknown', lease_until = null,
        finished_at = clock_timestamp(),
        duration_ms = least(extract(epoch from clock_timestamp() - created_at) * 1000, 2147483647)::int
      where tenant_id = ${run.tenant_id}::uuid and id = ${run.id}::uuid and attempt_id = ${run.attempt_id}::uuid
        and status in ('starting', 'running') and lease_until < clock_timestamp()`;
    if (count === 0) return;
    await tx.workspaceLock.deleteMany({ where: { tenant_id: run.tenant_id, run_id: run.id } });
    await appendAudit(tx, { ...runFacts(run), action: 'exec.completion', code: 'outcome_unknown', ran: null });
    await tellRunEnd(tx, run, 'unknown');
  });
}

const QUEUE_TIMEOUT = {
  status: 'timed_out',
  code: 'timeout',
  error: 'timed out while queued: no worker took the run',
  hint: 'nothing was run; send the call again, and see hcp.doctor if it stays so',
  ran: false,
} as const;

const RETRY_TIMEOUT = {
  status: 'timed_out',
  code: 'timeout',
  error: 'timed out while queued for a second try: the first one was lost with its worker',
  hint: 'the first try may have run; the command is a read, so it may be sent again',
  ran: null,
} as const;

import { appendAudit } from '@hcp/audit';
import type { Caller } from '@hcp/core';
import type { Database, Run } from '@hcp/database';
import type { Bus } from '@hcp/queue';
import { callerFacts } from './audit-facts.js';
import { isTerminal } from './envelope.js';
import type { Outcome } from './outcome.js';
import type { TenantKeys } from './ports.js';
import { complete } from './worker/complete.js';

/**
 * Cancels a run from any replica (SPEC R3): a queued one never starts, a running one is stopped by its worker. What has
 * ended stays as it is.
 */
export async function cancelRun(
  deps: { db: Database; keys: TenantKeys; bus: Bus; onError: (error: Error) => void },
  caller: Caller,
  run: Run,
): Promise<void> {
  if (isTerminal(run.status)) return;
  const { tenant_id, id } = run;
  await deps.db.tenant(tenant_id, async (tx) => {
    await tx.run.updateMany({
      where: { tenant_id, id, cancel_requested_at: null },
      data: { cancel_requested_at: new Date() },
    });
    await appendAudit(tx, { ...callerFacts(caller), action: 'run.cancel', subject: `run:${id}`, run_id: id });
  });
  // The claim refuses a run that someone asked to cancel, so a queued one can be ended here without a race.
  await complete(deps, run, { attempt_id: null, status: 'queued' }, CANCELLED);
  for (const topic of ['run.cancel', 'run.changed'] as const) {
    await deps.bus.publish(topic, { tenant_id, run_id: id }).catch(deps.onError);
  }
}

export const CANCELLED: Outcome = {
  status: 'cancelled',
  code: 'cancelled',
  error: 'cancelled',
  hint: 'cancelled before it started; nothing was run',
  ran: false,
};

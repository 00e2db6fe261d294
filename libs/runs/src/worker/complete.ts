import { releaseApproval } from '@hcp/approvals';
import { appendAudit } from '@hcp/audit';
import type { Database, Run, Tx } from '@hcp/database';
import type { EgressFacts } from '@hcp/sandbox';
import { packStarts, packUnavailable, publishEvents, sourceFailed } from '@hcp/sense';
import { runFacts } from '../audit-facts.js';
import type { Outcome } from '../outcome.js';
import type { TenantKeys } from '../ports.js';
import { sealOutcome } from '../sealing.js';
import { tellRunEnd } from '../tell.js';

/** What the column holds. */
const MAX_INT = 2 ** 31 - 1;

/**
 * Characters of each stream that are kept. A byte that is no text takes four characters to show, so the sandbox's limit on
 * bytes bounds this too little.
 */
const MAX_TEXT = 10 * 1024 * 1024;

/** Which rows a completion may end: an attempt ends only what it holds, or what was given up on meanwhile. */
export type Held =
  | {
      readonly attempt_id: string;
      /** Whether output of it was written down while it ran. */
      readonly shown: boolean;
    }
  | { readonly attempt_id: null; readonly status: 'queued' };

/**
 * Ends a run: its row and its audit event in one transaction (SPEC E3 step 7, U1).
 * @returns false where the run had another end already
 * @throws where the database refuses; then the run is not ended
 */
export async function complete(
  deps: { db: Database; keys: TenantKeys },
  run: Run,
  held: Held,
  outcome: Outcome,
): Promise<boolean> {
  const sealer = await deps.keys(run.tenant_id);
  const { status, code, exit_code, ran, hint, result, egress, hosts } = outcome;
  const [error, stdout, stderr] = [outcome.error, outcome.stdout, outcome.stderr].map((text) =>
    text?.slice(0, MAX_TEXT),
  );
  const cut = stdout?.length !== outcome.stdout?.length || stderr?.length !== outcome.stderr?.length;
  const truncated = cut || outcome.truncated === true;
  const duration_ms = Math.min(MAX_INT, Math.max(0, Date.now() - run.created_at.getTime()));
  return deps.db.tenant(run.tenant_id, async (tx) => {
    const { count } = await tx.run.updateMany({
      where: {
        tenant_id: run.tenant_id,
        id: run.id,
        attempt_id: held.attempt_id,
        status: held.attempt_id === null ? held.status : { in: ['starting', 'running', 'unknown'] },
      },
      data: {
        status,
        ok: status === 'succeeded',
        code: code ?? null,
        exit_code: exit_code ?? null,
        truncated,
        finished_at: new Date(),
        duration_ms,
        lease_until: null,
        // An attempt that was given up on, erased, and ends after all: it is kept anew.
        output_erased_at: null,
        outcome_enc: sealOutcome(sealer, run.id, { error, hint, result, stdout, stderr, egress }),
      },
    });
    if (count === 0) return false;
    await tx.workspaceLock.deleteMany({ where: { tenant_id: run.tenant_id, run_id: run.id } });
    if (held.attempt_id === null) await releaseApproval(tx, run);
    // The outcome has all of it.
    else if (held.shown) await tx.runOutput.deleteMany({ where: { tenant_id: run.tenant_id, run_id: run.id } });
    await appendAudit(tx, {
      ...runFacts(run),
      action: 'exec.completion',
      code: code ?? null,
      ran,
      exit_code: exit_code ?? null,
      duration_ms,
      ...(egress && hosts && { details: { hosts: [...hosts], hosts_refused: refusedBy(egress) } }),
    });
    await tellRunEnd(tx, run, status);
    await tellSense(tx, run, outcome);
    return true;
  });
}

/** Whether commands of the pack can be started at all is for more people than the one who called (SPEC N1). */
async function tellSense(tx: Tx, run: Run, outcome: Outcome): Promise<void> {
  const { code, ran, status, events } = outcome;
  if (code === 'sandbox_unavailable' || code === 'bin_not_allowlisted') await packUnavailable(tx, run, code);
  else if (ran === true) await packStarts(tx, run);
  const { sense_source_id } = run;
  if (sense_source_id === null) return;
  // Only what runs on schedule is published: whoever calls a source by hand has its events as the result (SPEC W8).
  const owner_id = run.land === 'personal' ? (run.acts_for ?? run.principal_id) : null;
  const look = { ...run, sense_source_id, owner_id };
  if (status === 'succeeded') await publishEvents(tx, look, events ?? []);
  else await sourceFailed(tx, look, { run_id: run.id, code: code ?? status });
}

/** How often; which ones is for those alone who see the outcome, because a program may make a host of a value (SPEC U1). */
const refusedBy = ({ refused }: EgressFacts): number => refused.reduce((sum, { count }) => sum + count, 0);

import type { Caller, ResultEnvelope } from '@hcp/core';
import type { Database } from '@hcp/database';
import type { RunsConfig } from './config.js';
import { isTerminal, pendingEnvelope, resultEnvelope } from './envelope.js';
import type { TenantKeys } from './ports.js';
import type { Watch } from './waiter.js';

export interface AwaitDeps {
  readonly db: Database;
  readonly keys: TenantKeys;
  readonly config: RunsConfig;
}

export interface Awaited {
  readonly caller: Caller;
  readonly run_id: string;
  readonly watch: Watch;
  /** As the caller asked; the default where it said nothing. */
  readonly wait_ms: number | undefined;
  /** When the call came, in milliseconds. */
  readonly started: number;
}

/** The run's result, or what is known of it once the caller has waited long enough (SPEC E6). */
export async function awaitRun({ db, keys, config }: AwaitDeps, awaited: Awaited): Promise<ResultEnvelope> {
  const { caller, run_id, watch, started } = awaited;
  const wait_ms = Math.min(awaited.wait_ms ?? config.wait_ms, config.max_wait_ms);
  const load = () =>
    db.tenant(caller.tenant_id, (tx) =>
      tx.run.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id: caller.tenant_id, id: run_id } } }),
    );
  const sealer = await keys(caller.tenant_id);
  const ended = await watch.until(wait_ms, async () => {
    const run = await load();
    return isTerminal(run.status) ? resultEnvelope(sealer, run) : null;
  });
  if (ended) return ended;
  const run = await load();
  if (isTerminal(run.status)) return resultEnvelope(sealer, run);
  return pendingEnvelope(run, Date.now() - started, wait_ms > 0);
}

import type { Database } from '@hcp/database';
import type { RunQueue } from '@hcp/queue';
import type { Facts } from './presence.js';

/** What `hcp.doctor` answers: the state of the parts that a run needs, as this worker sees them. */
export function doctor(deps: { db: Database; queue: RunQueue; facts: Facts }): () => Promise<object> {
  return async () => {
    const workers = await deps.db.global((tx) =>
      tx.worker.count({ where: { seen_at: { gt: new Date(Date.now() - 15_000) } } }),
    );
    return {
      database: 'ok',
      queue: (await deps.queue.ready()) ? 'ok' : 'unavailable',
      sandbox: { driver: deps.facts.sandbox_driver, detail: deps.facts.sandbox_detail },
      workers,
    };
  };
}

import type { CommandInfo } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { runtime } from '../../app/api.js';

/**
 * Runs a command without waiting for its end: the run has a page of its own. `confirm` is sent only where a person has just
 * said yes to the card.
 */
export function execute(
  { pack_id, verb_key }: CommandInfo,
  args: Record<string, unknown>,
  { confirm, run_on_approve }: { confirm?: true; run_on_approve?: true },
): Promise<ResultEnvelope> {
  return runtime.exec({
    pack_id,
    verb_key,
    args: { ...args, ...(confirm && { confirm }) },
    wait_ms: 0,
    ...(run_on_approve && { run_on_approve }),
    // A click that is sent twice runs once.
    idempotency_key: crypto.randomUUID(),
  });
}

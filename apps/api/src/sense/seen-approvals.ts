import { seenApprovals } from '@hcp/approvals';
import type { SeenApprovals } from '@hcp/sense';

/** A request that waits is an event for those whom `GET /v1/approvals/:id` shows it to. */
export const senseApprovals: SeenApprovals = async (tx, caller, ids, now) =>
  (await seenApprovals(tx, caller, ids, now)).map(({ id }) => id);

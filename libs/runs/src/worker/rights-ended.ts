import type { Denial } from '@hcp/core';

/** Who asked may not any more, whatever the reason. */
export const RIGHTS_ENDED: Denial = {
  code: 'cancelled',
  error: "cancelled: the caller's session or rights ended before the run started",
  hint: 'nothing was run; sign in again or use a valid key',
};

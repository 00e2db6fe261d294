import { approvalNumbers } from '@hcp/approvals';
import { staleBindings } from '@hcp/bindings';
import type { Overview } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import { runNumbers } from '@hcp/runs';
import { Controller, Inject } from '@nestjs/common';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';

@Controller()
export class OverviewController {
  constructor(@Inject(Database) private readonly db: Database) {}

  @Route('overview')
  async overview(@CurrentCaller() caller: Caller): Promise<Overview> {
    const now = new Date();
    return this.db.tenant(caller.tenant_id, async (tx) => {
      const approvals = await approvalNumbers(tx, caller, now);
      const { hours, ...runs } = await runNumbers(tx, caller, now);
      const stale = await staleBindings(tx, caller, now);
      return {
        approvals,
        runs,
        bindings: stale === null ? null : { stale },
        hours: hours.map((hour) => ({ ...hour, from: hour.from.toISOString() })),
      };
    });
  }
}

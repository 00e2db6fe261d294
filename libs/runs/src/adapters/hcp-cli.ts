import { bindingAvailability } from '@hcp/bindings';
import { HCP_CLI_PACK_ID } from '@hcp/core';
import type { Database } from '@hcp/database';
import { runHcpCli } from '@hcp/packs';
import { refused, type Outcome } from '../outcome.js';
import type { Adapter, AdapterCall } from './adapter.js';

/** Answers the built-in pack's commands in this process (SPEC W6). */
export class HcpCliAdapter implements Adapter {
  constructor(
    private readonly db: Database,
    private readonly doctor: () => Promise<object>,
  ) {}

  async run({ run, plan, caller }: AdapterCall): Promise<Outcome> {
    // Another pack's command has steps, or it would not have been installed.
    if (plan.pack.manifest.pack_id !== HCP_CLI_PACK_ID) {
      return refused('internal', 'the command has no steps', 'install the pack again');
    }
    const now = new Date();
    const { project_id } = plan;
    const result = await this.db.tenant(run.tenant_id, (tx) =>
      runHcpCli(plan.verb_key, plan.args, {
        tx,
        caller,
        doctor: this.doctor,
        binding: (pack) => bindingAvailability(tx, caller, pack, { project_id, now }),
        now,
      }),
    );
    return { status: 'succeeded', result, ran: true };
  }
}

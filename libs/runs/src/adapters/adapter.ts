import type { Caller, Manifest, Plan } from '@hcp/core';
import type { Run } from '@hcp/database';
import type { RunOptions } from '@hcp/sandbox';
import type { Lease } from '../mint.js';
import type { Outcome } from '../outcome.js';
import type { Workspace } from '../workspaces.js';

export interface AdapterCall {
  readonly run: Run;
  readonly plan: Plan;
  readonly caller: Caller;
  readonly lease: Lease;
  readonly workspace: Workspace | null;
  readonly signal: AbortSignal;
  /** Hears the two streams as they come, secrets hidden; only where the outcome will have them as its own streams. */
  readonly onOutput?: NonNullable<RunOptions['onOutput']>;
}

/** Step 6 of the pipeline: does what the plan says and tells how it ended. `cancelled` when the signal stopped it. */
export interface Adapter {
  run(call: AdapterCall): Promise<Outcome>;
}

/** One for each kind of pack. */
export type Adapters = Readonly<Record<Manifest['kind'], Adapter>>;

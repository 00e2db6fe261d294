import type { RunStatus } from '@hcp/core';
import type { Run, Tx } from '@hcp/database';
import { appendEvent } from '@hcp/events';

/** Tells those who follow the tenant that a run goes on, in the transaction in which it does (SPEC V5, 17). */
export function tellRun(
  tx: Tx,
  { tenant_id, id }: Pick<Run, 'tenant_id' | 'id'>,
  state: Extract<RunStatus, 'queued' | 'starting' | 'running'>,
): Promise<void> {
  return appendEvent(tx, { tenant_id, type: 'run.updated', subject_id: id, state });
}

type Ended = Pick<Run, 'tenant_id' | 'id' | 'pack_id' | 'verb_key' | 'project_id' | 'principal_id' | 'acts_for'>;

/** The end of a run is for the tenant's endpoints as well. Of one that was given up on there may be another later. */
export function tellRunEnd(
  tx: Tx,
  run: Ended,
  state: Exclude<RunStatus, 'queued' | 'starting' | 'running'>,
): Promise<void> {
  const { tenant_id, id, pack_id, verb_key, project_id, principal_id, acts_for } = run;
  const data = { run_id: id, state, pack_id, verb_key, project_id, requested_by: principal_id, acts_for };
  const told = { type: 'run.finished', pack_id, data } as const;
  return appendEvent(tx, { tenant_id, type: 'run.updated', subject_id: id, state, told });
}

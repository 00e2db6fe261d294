import type { Caller, ExecEnvelope, Plan } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { authorityOf } from './authority.js';
import type { RunsConfig } from './config.js';
import type { LoadedFacts } from './ports.js';
import { sealArgs, type Sealer } from './sealing.js';
import { tellRun } from './tell.js';

interface NewRun {
  readonly run_id: string;
  readonly caller: Caller;
  readonly envelope: ExecEnvelope;
  readonly plan: Plan;
  readonly version: Pick<LoadedFacts, 'version_id' | 'owner'>;
  /** Which credential it would be given now. */
  readonly binding: string;
  readonly args_digest: string;
  readonly approval_id: string | null;
  readonly attested_id: string | null;
  /** Of a look of a Sense source: which one. */
  readonly sense_source_id: string | null;
  readonly sealer: Sealer;
  readonly config: RunsConfig;
}

/** Writes the row that makes a call a run, in the decision's transaction. */
export async function insertRun(tx: Tx, run: NewRun): Promise<void> {
  const { caller, plan, config } = run;
  await tx.run.create({
    data: {
      tenant_id: caller.tenant_id,
      id: run.run_id,
      status: 'queued',
      principal_id: caller.principal.id,
      principal_kind: caller.is_agent ? 'agent' : caller.principal.kind,
      acts_for: caller.acts_for,
      session_id: caller.session.id,
      authority: authorityOf(caller),
      project_id: plan.project_id,
      pack_id: plan.pack.manifest.pack_id,
      verb_key: plan.verb_key,
      operation: plan.operation,
      land: plan.land,
      family: plan.family,
      binding: run.binding,
      pack_version_id: run.version.version_id,
      pack_tenant_id: run.version.owner?.tenant_id ?? null,
      pack_platform: run.version.owner?.platform ?? false,
      pack_version: plan.pack.manifest.version,
      pack_digest: plan.pack.digest,
      settings_epoch: caller.settings_epoch,
      args_enc: sealArgs(run.sealer, run.run_id, run.envelope.args),
      args_digest: run.args_digest,
      arg_names: [...plan.arg_names],
      idempotent: plan.idempotent,
      approval_id: run.approval_id,
      attested_id: run.attested_id,
      sense_source_id: run.sense_source_id,
      // The worker that takes it has the last word, by its operator's setting.
      timeout_ms: plan.timeout_ms ?? config.run_timeout_ms,
      queue_deadline: new Date(Date.now() + config.queue_timeout_ms),
    },
  });
  await tellRun(tx, { tenant_id: caller.tenant_id, id: run.run_id }, 'queued');
}

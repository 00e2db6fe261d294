import { appendAudit } from '@hcp/audit';
import type { Caller } from '@hcp/core';
import type { Tx } from '@hcp/database';

export interface PackAct {
  readonly action: 'pack.install' | 'pack.delete' | 'pack.activate' | 'pack.rollback' | 'pack.deactivate';
  readonly pack_id: string;
  readonly version: string | null;
  readonly project_id: string | null;
  readonly details: Readonly<Record<string, string | null>>;
}

/** Writes an administrative act on a pack into the log, in the act's own transaction (SPEC U2). */
export async function auditPackAct(tx: Tx, caller: Caller, act: PackAct): Promise<void> {
  await appendAudit(tx, {
    tenant_id: caller.tenant_id,
    action: act.action,
    principal_id: caller.principal.id,
    principal_kind: caller.principal.kind,
    acts_for: caller.acts_for,
    session_id: caller.session.id,
    project_id: act.project_id,
    pack_id: act.pack_id,
    pack_version: act.version,
    decision: 'allow',
    subject: `pack:${act.pack_id}`,
    details: act.details,
  });
}

/**
 * Makes every decision in the tenant look again, and lets one change of packs at a time through: the update locks the
 * tenant's row until the transaction ends (SPEC R2, P8).
 */
export async function bumpEpoch(tx: Tx, tenant_id: string): Promise<void> {
  await tx.tenant.update({
    where: { id: tenant_id },
    data: { settings_epoch: { increment: 1 } },
    select: { id: true },
  });
}

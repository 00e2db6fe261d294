import { appendAudit, type AuditDetails } from '@hcp/audit';
import type { Caller } from '@hcp/core';
import { sql, type Tx } from '@hcp/database';

export interface Change {
  /** Such as `grant.create`. */
  readonly action: string;
  /** `<kind>:<id>`. */
  readonly subject: string;
  readonly project_id?: string | null;
  readonly pack_id?: string | null;
  readonly details?: AuditDetails;
}

/** Records an administrative act in its own transaction (SPEC U2). */
export async function auditChange(tx: Tx, caller: Caller, change: Change): Promise<void> {
  await appendAudit(tx, {
    tenant_id: caller.tenant_id,
    principal_id: caller.principal.id,
    principal_kind: caller.is_agent ? 'agent' : caller.principal.kind,
    acts_for: caller.acts_for,
    session_id: caller.session.id,
    decision: 'allow',
    ...change,
  });
}

/** A change of rights: moves the epoch that decisions carry, so that queued runs are decided again (SPEC R2), and audits. */
export async function recordRightsChange(tx: Tx, caller: Caller, change: Change): Promise<void> {
  await bumpEpoch(tx, caller.tenant_id);
  await auditChange(tx, caller, change);
}

export async function bumpEpoch(tx: Tx, tenant_id: string): Promise<void> {
  await tx.$executeRaw(sql`UPDATE tenants SET settings_epoch = settings_epoch + 1 WHERE id = ${tenant_id}::uuid`);
}

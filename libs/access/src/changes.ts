import { appendAudit, type AuditInput } from '@hcp/audit';
import { conditionNames, type Caller, type Rule } from '@hcp/core';
import type { Tx } from '@hcp/database';

export type AccessAct =
  | 'access.set_mode'
  | 'access.set_max_mode'
  | 'access.settings'
  | 'access.project_settings'
  | 'access.rule_create'
  | 'access.rule_delete';

export interface Change {
  readonly action: AccessAct;
  /** `<kind>:<id>`. */
  readonly subject: string;
  readonly project_id?: string | null;
  readonly pack_id?: string | null;
  readonly details: NonNullable<AuditInput['details']>;
}

/**
 * Moves the epoch that decisions carry, so that caches and runs that wait are judged anew, and audits, in the
 * transaction of the change (SPEC U2, R2). First of all: it locks the tenant's row, so that changes come one by one.
 */
export async function bumpEpoch(tx: Tx, tenant_id: string): Promise<void> {
  await tx.tenant.update({
    where: { id: tenant_id },
    data: { settings_epoch: { increment: 1 } },
    select: { id: true },
  });
}

export async function auditAccess(tx: Tx, caller: Caller, change: Change): Promise<void> {
  await appendAudit(tx, {
    tenant_id: caller.tenant_id,
    principal_id: caller.principal.id,
    principal_kind: caller.principal.kind,
    acts_for: caller.acts_for,
    session_id: caller.session.id,
    decision: 'allow',
    ...change,
  });
}

/** A rule in the log: what it is about, by names. What its conditions compare with are values of arguments (SPEC U1). */
export const ruleFacts = (
  rule: Rule,
): { match: string; decision: string; op: string | null; conditions: string[] } => ({
  match: rule.match,
  decision: rule.decision,
  op: rule.op ?? null,
  conditions: conditionNames(rule.when),
});

import { appendAudit, type AuditInput } from '@hcp/audit';
import type { Caller } from '@hcp/core';
import type { Approval, Tx } from '@hcp/database';

export type ApprovalAction =
  'approval.request' | 'approval.approve' | 'approval.reject' | 'approval.expire' | 'approval.consume';

/** What of the call the log may know: names and digests, never a value. */
export type AuditedApproval = Pick<
  Approval,
  | 'tenant_id'
  | 'id'
  | 'digest'
  | 'project_id'
  | 'pack_id'
  | 'pack_version'
  | 'verb_key'
  | 'operation'
  | 'binding'
  | 'mode'
  | 'arg_names'
>;

/** Writes an act on a request into the log, in the act's transaction (SPEC V6). */
export async function auditApproval(
  tx: Tx,
  approval: AuditedApproval,
  action: ApprovalAction,
  facts: Partial<AuditInput> = {},
): Promise<void> {
  await appendAudit(tx, {
    tenant_id: approval.tenant_id,
    action,
    project_id: approval.project_id,
    pack_id: approval.pack_id,
    pack_version: approval.pack_version,
    verb_key: approval.verb_key,
    operation: approval.operation,
    binding: approval.binding,
    mode: approval.mode,
    arg_names: approval.arg_names,
    args_digest: approval.digest,
    subject: `approval:${approval.id}`,
    ...facts,
  });
}

/** Who did it. */
export function who(caller: Caller): Pick<AuditInput, 'principal_id' | 'principal_kind' | 'acts_for' | 'session_id'> {
  return {
    principal_id: caller.principal.id,
    principal_kind: caller.is_agent ? 'agent' : caller.principal.kind,
    acts_for: caller.acts_for,
    session_id: caller.session.id,
  };
}

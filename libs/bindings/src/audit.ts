import { appendAudit } from '@hcp/audit';
import type { Caller } from '@hcp/core';
import type { Binding, Tx } from '@hcp/database';
import { identityOf } from './choose.js';

export type BindingAct =
  'binding.create' | 'binding.connect' | 'binding.reconnect' | 'binding.rotate' | 'binding.revoke' | 'binding.forget';

/**
 * Writes an act on a binding into the log and moves the epoch that decisions carry, so that runs that wait are decided
 * again (SPEC U2, R2). Field names, never a value.
 */
export async function recordBindingAct(tx: Tx, caller: Caller, action: BindingAct, binding: Binding): Promise<void> {
  const { tenant_id } = caller;
  await tx.tenant.update({
    where: { id: tenant_id },
    data: { settings_epoch: { increment: 1 } },
    select: { id: true },
  });
  await appendAudit(tx, {
    tenant_id,
    action,
    principal_id: caller.principal.id,
    principal_kind: caller.principal.kind,
    acts_for: caller.acts_for,
    session_id: caller.session.id,
    project_id: binding.project_id,
    pack_id: binding.pack_id,
    binding: identityOf(binding),
    decision: 'allow',
    subject: `binding:${binding.id}`,
    details: {
      owner: binding.principal_id,
      kind: binding.kind,
      fields: binding.field_names,
      ...(binding.account !== null && { account: binding.account, account_name: binding.account_name }),
      ...(binding.scopes.length > 0 && { scopes: binding.scopes }),
      expires_at: binding.expires_at?.toISOString() ?? null,
    },
  });
}

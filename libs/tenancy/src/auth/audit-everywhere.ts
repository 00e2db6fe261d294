import { appendAudit, type AuditDetails } from '@hcp/audit';
import { enterScope, type Tx } from '@hcp/database';
import { readMemberships } from './memberships.js';

/**
 * Tells the log of every tenant the person belongs to, in the transaction of what it tells of: an act that cannot be
 * logged does not happen (SPEC U2). The last thing of its transaction, which is in another scope afterwards.
 */
export async function auditEverywhere(
  tx: Tx,
  user_id: string,
  action: string,
  details: AuditDetails = {},
): Promise<void> {
  await enterScope(tx, { user_id });
  for (const { tenant_id, principal_id } of await readMemberships(tx, user_id)) {
    await enterScope(tx, { tenant_id });
    await appendAudit(tx, {
      tenant_id,
      action,
      principal_id,
      principal_kind: 'human',
      decision: 'allow',
      subject: `principal:${principal_id}`,
      ...(Object.keys(details).length > 0 ? { details } : {}),
    });
  }
}

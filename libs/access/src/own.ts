import type { Tx } from '@hcp/database';
import { refuse, type AccessRefusal } from './refusal.js';
import { settingsOf } from './stored.js';

/** Settings of one's own exist only where the tenant sets `member_access` (SPEC A6). */
export async function ownProblem(tx: Tx, tenant_id: string): Promise<AccessRefusal | null> {
  const row = await tx.accessSettings.findFirst({ where: { tenant_id, scope: 'tenant' }, select: { settings: true } });
  if (settingsOf(row).member_access === true) return null;
  return refuse('forbidden', 'the tenant does not set member_access: nobody has settings of their own');
}

export async function projectExists(tx: Tx, tenant_id: string, id: string): Promise<boolean> {
  const found = await tx.project.findUnique({ where: { tenant_id_id: { tenant_id, id } }, select: { id: true } });
  return found !== null;
}

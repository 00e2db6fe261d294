import type { Caller } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';

/** Where a settings document belongs; exactly what its scope says is not null. */
export interface SettingsScope {
  readonly scope: 'tenant' | 'project' | 'member' | 'session' | 'api_key';
  readonly project_id?: string;
  readonly principal_id?: string;
  readonly session_id?: string;
  readonly api_key_id?: string;
}

/**
 * Changes one scope's document. Call it after the epoch was moved: that locks the tenant's row, so that two changes do
 * not overwrite each other.
 * @param change gives the new document from the present one
 */
export async function changeSettings(
  tx: Tx,
  caller: Caller,
  place: SettingsScope,
  change: (present: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): Promise<void> {
  const { tenant_id, principal } = caller;
  const { scope, project_id = null, principal_id = null, session_id = null, api_key_id = null } = place;
  const where = { tenant_id, scope, project_id, principal_id, session_id, api_key_id };
  const present = await tx.accessSettings.findFirst({ where });
  const changed = change((present?.settings ?? {}) as Record<string, unknown>);
  // Through JSON, which drops undefined.
  const settings = JSON.parse(JSON.stringify(changed)) as object;
  const data = { settings, updated_by: principal.id, updated_at: new Date() };
  if (present) await tx.accessSettings.updateMany({ where: { tenant_id, id: present.id }, data });
  else await tx.accessSettings.create({ data: { ...where, ...data, id: uuidv7() }, select: { id: true } });
}

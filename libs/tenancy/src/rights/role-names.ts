import { BUILTIN_ROLES, type Grant } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { parseGrants } from '../caller/build.js';

export const isBuiltInRole = (name: string): boolean => Object.hasOwn(BUILTIN_ROLES, name);

/** The grants of a role by name, built in first; null where the tenant has no such role. */
export async function roleGrantsByName(tx: Tx, tenant_id: string, name: string): Promise<readonly Grant[] | null> {
  if (isBuiltInRole(name)) return BUILTIN_ROLES[name] ?? [];
  const role = await tx.role.findUnique({ where: { tenant_id_name: { tenant_id, name } } });
  return role ? parseGrants(role.grants) : null;
}

import type { GrantRecord } from '@hcp/contracts';
import type { Capability, Grant } from '@hcp/core';
import type { GrantRow, Tx } from '@hcp/database';

/** A row of `grants` as core's value. */
export function grantOf(row: GrantRow): Grant {
  return {
    capability: row.capability as Capability,
    ...(row.pack_id !== null ? { pack_id: row.pack_id } : {}),
    ...(row.verb_keys.length > 0 ? { verb_keys: row.verb_keys } : {}),
    ...(row.project_id !== null ? { project_id: row.project_id } : {}),
    ...(row.expires_at !== null ? { expires_at: row.expires_at.toISOString() } : {}),
  };
}

/** A row of `grants` as the API answers it. */
export function grantRecord(row: GrantRow): GrantRecord {
  const { verb_keys, ...grant } = grantOf(row);
  return {
    id: row.id,
    principal_id: row.principal_id,
    ...grant,
    ...(verb_keys ? { verb_keys: [...verb_keys] } : {}),
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
  };
}

/** The same grant within one project; none where it is bound to another. */
export function within(project_id: string | null | undefined, grants: readonly Grant[]): Grant[] {
  if (!project_id) return [...grants];
  return grants
    .filter((grant) => grant.project_id === undefined || grant.project_id === project_id)
    .map((grant) => ({ ...grant, project_id }));
}

/** Facts of grants for an audit event: rights are no secret. */
export const grantFacts = (grants: readonly Grant[]): { grants: string[] } => ({
  grants: grants.map((grant) =>
    [
      grant.capability,
      grant.pack_id && `pack ${grant.pack_id}`,
      grant.verb_keys && `commands ${grant.verb_keys.join(' ')}`,
      grant.project_id && `project ${grant.project_id}`,
      grant.expires_at && `until ${grant.expires_at}`,
    ]
      .filter(Boolean)
      .join(', '),
  ),
});

export async function projectExists(tx: Tx, tenant_id: string, id: string): Promise<boolean> {
  return (await tx.project.findUnique({ where: { tenant_id_id: { tenant_id, id } }, select: { id: true } })) !== null;
}

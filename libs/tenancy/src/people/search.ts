import type { PrincipalKind } from '@hcp/core';
import { empty, sql, type Sql } from '@hcp/database';

/** Names that hold this part. `%` and `_` are letters like any other. */
export const nameWith = (search: string): { contains: string; mode: 'insensitive' } => ({
  contains: search.replace(/[\\%_]/g, '\\$&'),
  mode: 'insensitive',
});

/** Ids of the tenant's principals whose name or email, the user's or the one that an issuer tells, holds this part. */
export function principalsWith(
  search: string,
  range: {
    readonly tenant_id: string;
    readonly kind: PrincipalKind | undefined;
    readonly after: string | undefined;
    readonly take: number;
  },
): Sql {
  const { tenant_id, kind, after, take } = range;
  const holds = (column: Sql): Sql => sql`position(lower(${search}) IN lower(${column})) > 0`;
  return sql`
    SELECT p.id FROM principals p LEFT JOIN users u ON u.id = p.user_id
    WHERE p.tenant_id = ${tenant_id}::uuid
      ${kind === undefined ? empty : sql`AND p.kind = ${kind}`}
      ${after === undefined ? empty : sql`AND p.id > ${after}::uuid`}
      AND (${holds(sql`p.name`)} OR ${holds(sql`u.email`)} OR EXISTS (
        SELECT FROM external_identities e
        WHERE e.tenant_id = p.tenant_id AND e.principal_id = p.id AND ${holds(sql`e.email`)}))
    ORDER BY p.id LIMIT ${take}`;
}

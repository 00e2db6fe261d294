import { sql, type Database, type Tx } from '@hcp/database';

export interface Membership {
  readonly tenant_id: string;
  readonly tenant_name: string;
  readonly principal_id: string;
}

/** Where a person can sign in: as an enabled human of a tenant that is not stopped. */
export async function membershipsOf(db: Database, user_id: string): Promise<Membership[]> {
  return db.user(user_id, (tx) => readMemberships(tx, user_id));
}

/** The same within a transaction that is in the scope of this person. */
export async function readMemberships(tx: Tx, user_id: string): Promise<Membership[]> {
  return tx.$queryRaw<Membership[]>(sql`
    SELECT p.tenant_id, t.name AS tenant_name, p.id AS principal_id
    FROM principals p JOIN tenants t ON t.id = p.tenant_id
    WHERE p.user_id = ${user_id}::uuid AND p.kind = 'human' AND p.disabled_at IS NULL AND t.stopped_at IS NULL
    ORDER BY p.tenant_id`);
}

import { sql, type Database, type Sql } from '@hcp/database';

/** Rows that one statement removes at most, so that no lock is held for long. */
const BATCH = 1000;
/** Statements per table and look; what is left waits for the next look. */
const MAX_BATCHES = 10;

/**
 * What is removed, by table. Which rows are over is said by the policies of the sweep, which sees no others: a day after
 * the end of a session, refresh token or code (of an external token also its own end), at the end of an idempotency key, a
 * month after that of an invitation, a Sense event or a message to an endpoint, a day after an event and after a connection that was
 * begun has run out. A session goes after those that were opened from it.
 */
const STATEMENTS: readonly Sql[] = [
  sql`DELETE FROM refresh_tokens WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM refresh_tokens LIMIT ${BATCH})`,
  sql`DELETE FROM sessions WHERE (tenant_id, id) IN (
        SELECT s.tenant_id, s.id FROM sessions s
        WHERE NOT EXISTS (SELECT FROM sessions c WHERE c.tenant_id = s.tenant_id AND c.parent_id = s.id)
        LIMIT ${BATCH})`,
  sql`DELETE FROM idempotency_keys WHERE (tenant_id, principal_id, key) IN (
        SELECT tenant_id, principal_id, key FROM idempotency_keys LIMIT ${BATCH})`,
  sql`DELETE FROM invitations WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM invitations LIMIT ${BATCH})`,
  sql`DELETE FROM tenant_events WHERE (tenant_id, xid, seq) IN (
        SELECT tenant_id, xid, seq FROM tenant_events LIMIT ${BATCH})`,
  sql`DELETE FROM webhook_deliveries WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM webhook_deliveries LIMIT ${BATCH})`,
  sql`DELETE FROM oauth_codes WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM oauth_codes LIMIT ${BATCH})`,
  sql`DELETE FROM connections WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM connections LIMIT ${BATCH})`,
  sql`DELETE FROM sense_events WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM sense_events LIMIT ${BATCH})`,
  // Of no tenant, so of no policy either.
  sql`DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients WHERE expires_at < now() LIMIT ${BATCH})`,
  sql`DELETE FROM password_resets WHERE id IN (
        SELECT id FROM password_resets WHERE expires_at < now() - interval '1 day' LIMIT ${BATCH})`,
];

/**
 * Removes rows of every tenant that nothing asks for any more.
 * @returns how many
 */
export async function sweepExpired(db: Database): Promise<number> {
  let removed = 0;
  for (const statement of STATEMENTS) {
    for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
      const count = await db.sweeper((tx) => tx.$executeRaw(statement));
      removed += count;
      if (count < BATCH) break;
    }
  }
  return removed;
}

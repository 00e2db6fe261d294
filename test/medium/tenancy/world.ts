import { randomUUID } from 'node:crypto';
import type { Caller } from '@hcp/core';
import { reloadCaller } from '@hcp/tenancy';
import { assignRole, makeHuman, type TestDatabase } from '@hcp/testing';
import pg from 'pg';

const HOUR_MS = 3_600_000;

/** A session, written directly. */
export async function openedSession(
  { db }: TestDatabase,
  tenant_id: string,
  principal_id: string,
  fields: object = {},
): Promise<string> {
  const id = randomUUID();
  const expires_at = new Date(Date.now() + HOUR_MS);
  const row = { tenant_id, id, principal_id, kind: 'default', interactive: true, packs: [], expires_at, ...fields };
  await db.tenant(tenant_id, (tx) => tx.session.create({ data: row }));
  return id;
}

/** Who a session or key makes of its owner now; the reason where nobody. */
export async function callerOf(
  { db }: TestDatabase,
  tenant_id: string,
  principal_id: string,
  session_id: string,
  is_agent = false,
): Promise<Caller | string> {
  const authority = { tenant_id, principal_id, session_id, is_agent };
  const loaded = await db.tenant(tenant_id, (tx) => reloadCaller(tx, authority));
  return loaded.ok ? loaded.caller : loaded.reason;
}

/** The same where it must be somebody. */
export async function goodCaller(...at: Parameters<typeof callerOf>): Promise<Caller> {
  const caller = await callerOf(...at);
  if (typeof caller === 'string') throw new Error(caller);
  return caller;
}

/** A human of the tenant with this role, signed in. */
export async function signedInHuman(database: TestDatabase, tenant_id: string, role: string): Promise<Caller> {
  const { id } = await makeHuman(database.db, tenant_id);
  await assignRole(database.db, tenant_id, id, role);
  return goodCaller(database, tenant_id, id, await openedSession(database, tenant_id, id));
}

export const audited = ({ db }: TestDatabase, tenant_id: string, action: string): Promise<number> =>
  db.tenant(tenant_id, (tx) => tx.auditEvent.count({ where: { tenant_id, action } }));

/** Makes the log of this tenant refuse one action, as if it could not be written. */
export async function refuseAudit(database: TestDatabase, tenant_id: string, action: string): Promise<void> {
  const name = `refused_${randomUUID().replaceAll('-', '')}`;
  await behind(
    database,
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF NEW.tenant_id = '${tenant_id}' AND NEW.action = '${action}' THEN RAISE EXCEPTION 'no log today'; END IF;
       RETURN NEW;
     END $$;
     CREATE TRIGGER ${name} BEFORE INSERT ON audit_events FOR EACH ROW EXECUTE FUNCTION ${name}()`,
  );
}

/** Past row-level security and foreign keys. */
export async function behind(database: TestDatabase, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.superuser_url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

import { randomUUID } from 'node:crypto';
import type pg from 'pg';

/** Every table with a tenant_id, by the catalogue. */
export async function tenantTables(superuser: pg.Client): Promise<string[]> {
  const { rows } = await superuser.query<{ name: string }>(`
    SELECT relname AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND attname = 'tenant_id' AND attnum > 0
    ORDER BY 1`);
  return rows.map((row) => row.name);
}

/** Words that a CHECK constraint asks for; any other text column takes any text. */
const WORDS: Readonly<Record<string, string>> = {
  kind: 'human',
  principal_kind: 'human',
  status: 'queued',
  operation: 'read',
  land: 'public',
  family: 'public',
  decision: 'allow',
  approved_by: 'agent',
  digest: `sha256:${'0'.repeat(64)}`,
  pack_id: 'ledger',
};
const WORDS_OF: Readonly<Record<string, unknown>> = {
  'sessions.kind': 'default',
  'bindings.kind': 'secret',
  'bindings.family': 'user',
  'connections.family': 'user',
  'connections.status': 'pending',
  'connections.provider_client_platform': true,
  'provider_clients.token_endpoint_auth_method': 'none',
  'provider_clients.discovery': true,
  'provider_clients.grant_types': ['client_credentials'],
  'provider_clients.issuer': 'https://id.example.com',
  'access_settings.scope': 'tenant',
  'access_rules.scope': 'tenant',
  'approvals.state': 'pending',
  'approval_decisions.decision': 'approve',
  'access_rules.rule': '{"match":"*","decision":"ask"}',
  'sense_events.severity': 'info',
  'sense_events.kind': 'disk_low',
  'sense_sources.every_s': '60',
  'audit_leaves.hash': Buffer.alloc(32),
  'audit_nodes.hash': Buffer.alloc(32),
  'tenant_events.type': 'run.updated',
  'webhook_deliveries.type': 'webhook.test',
  'webhook_deliveries.state': 'pending',
};

const VALUES: Readonly<Record<string, () => unknown>> = {
  uuid: () => randomUUID(),
  text: () => randomUUID(),
  bool: () => false,
  int4: () => 1,
  int8: () => 1,
  timestamptz: () => new Date(),
  json: () => '{}',
  jsonb: () => '{}',
  bytea: () => Buffer.from('x'),
  _text: () => [],
};

/**
 * Puts one row for the tenant into each table, whatever its columns: required ones get a value of their type. Written
 * past the foreign keys, because what is on trial here are the policies.
 */
export async function fillTenant(superuser: pg.Client, tables: readonly string[], tenant_id: string): Promise<void> {
  await superuser.query("SET session_replication_role = 'replica'");
  for (const table of tables) {
    const { rows: columns } = await superuser.query<{ column_name: string; udt_name: string }>(
      `SELECT column_name, udt_name FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name = $1 AND
         (is_nullable = 'NO' AND column_default IS NULL OR format('%s.%s', table_name, column_name) = ANY ($2))`,
      [table, Object.keys(WORDS_OF)],
    );
    const values = columns.map(({ column_name: name, udt_name: type }) => {
      if (name === 'tenant_id' || name === 'version_tenant_id') return tenant_id;
      const word = WORDS_OF[`${table}.${name}`] ?? (type === 'text' ? WORDS[name] : undefined);
      const value = VALUES[type];
      if (!value) throw new Error(`${table}.${name}: give type ${type} a value in this file`);
      return word ?? value();
    });
    const names = columns.map((column) => `"${column.column_name}"`).join(', ');
    const places = columns.map((_, index) => `$${String(index + 1)}`).join(', ');
    await superuser.query(`INSERT INTO "${table}" (${names}) VALUES (${places})`, values);
  }
  await superuser.query("SET session_replication_role = 'origin'");
}

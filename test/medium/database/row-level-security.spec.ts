import { randomUUID } from 'node:crypto';
import { Prisma } from '@hcp/database';
import { createTestDatabase, makeTenant, type TestDatabase } from '@hcp/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillTenant, tenantTables } from './every-table.js';

/** SPEC O4, on every tenant table there is: the list comes from the catalogue, so a new table is in it. */
let test: TestDatabase;
let superuser: pg.Client;
let tables: string[];
let ours: string;
let theirs: string;

beforeAll(async () => {
  test = await createTestDatabase();
  superuser = new pg.Client({ connectionString: test.superuser_url });
  await superuser.connect();
  tables = await tenantTables(superuser);
  ours = (await makeTenant(test.db)).id;
  theirs = (await makeTenant(test.db)).id;
  await fillTenant(superuser, tables, ours);
  await fillTenant(superuser, tables, theirs);
});

afterAll(async () => {
  await superuser.end();
  await test.close();
});

const count = (table: string) => Prisma.sql`SELECT count(*)::int AS n FROM ${Prisma.raw(`"${table}"`)}`;
type Counted = { n: number }[];
/** How a foreign row is refused: by the policy, or because the role lacks the right at all. */
const REFUSED = /row-level security|permission denied/;

describe('the catalogue', () => {
  it('knows the tenant tables', () => {
    expect(tables).toEqual(expect.arrayContaining(['runs', 'audit_events', 'api_keys', 'grants', 'pack_versions']));
  });

  it('forces row-level security with a policy on each, and on tenants', async () => {
    const { rows } = await superuser.query<{ name: string; forced: boolean; policies: number }>(`
      SELECT relname AS name, relrowsecurity AND relforcerowsecurity AS forced,
        (SELECT count(*)::int FROM pg_policy WHERE polrelid = pg_class.oid AND polname = 'tenant') AS policies
      FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace`);
    for (const table of [...tables, 'tenants']) {
      expect(rows.find((row) => row.name === table)).toEqual({ name: table, forced: true, policies: 1 });
    }
  });

  it('widens a table beyond the tenant only for reading, or for the sweep of what is over, and only where listed', async () => {
    const { rows } = await superuser.query<{ policy: string }>(`
      SELECT concat_ws(' ', tablename, policyname, cmd, nullif(permissive, 'PERMISSIVE')) AS policy FROM pg_policies
      WHERE schemaname = 'public' AND policyname <> 'tenant' ORDER BY 1`);
    expect(rows.map((row) => row.policy)).toEqual([
      'api_keys lookup SELECT',
      'approvals reaper SELECT',
      'approvals sweeper_sees SELECT',
      'audit_pending reaper SELECT',
      'bindings reaper SELECT',
      'connections lookup SELECT',
      'connections sweeper_removes DELETE',
      'connections sweeper_sees SELECT',
      'idempotency_keys sweeper_removes DELETE',
      'idempotency_keys sweeper_sees SELECT',
      'invitations lookup SELECT',
      'invitations sweeper_alone DELETE RESTRICTIVE',
      'invitations sweeper_removes DELETE',
      'invitations sweeper_sees SELECT',
      'oauth_codes lookup SELECT',
      'oauth_codes sweeper_alone DELETE RESTRICTIVE',
      'oauth_codes sweeper_removes DELETE',
      'oauth_codes sweeper_sees SELECT',
      'oidc_issuers lookup SELECT',
      'pack_stops platform SELECT',
      'pack_versions platform SELECT',
      'principals own SELECT',
      'provider_clients platform SELECT',
      'refresh_tokens lookup SELECT',
      'refresh_tokens sweeper_removes DELETE',
      'refresh_tokens sweeper_sees SELECT',
      'runs reaper SELECT',
      'runs sweeper_sees SELECT',
      'sense_events sweeper_alone DELETE RESTRICTIVE',
      'sense_events sweeper_removes DELETE',
      'sense_events sweeper_sees SELECT',
      'sense_sources reaper SELECT',
      'sessions sweeper_alone DELETE RESTRICTIVE',
      'sessions sweeper_removes DELETE',
      'sessions sweeper_sees SELECT',
      'tenant_events sweeper_alone DELETE RESTRICTIVE',
      'tenant_events sweeper_removes DELETE',
      'tenant_events sweeper_sees SELECT',
      'tenant_keys key_keeper SELECT',
      'tenants operator SELECT',
      'tenants own SELECT',
      'webhook_deliveries reaper SELECT',
      'webhook_deliveries sweeper_alone DELETE RESTRICTIVE',
      'webhook_deliveries sweeper_removes DELETE',
      'webhook_deliveries sweeper_sees SELECT',
    ]);
  });

  it('links rows of a tenant by keys that carry the tenant', async () => {
    const { rows } = await superuser.query<{ fk: string }>(
      `SELECT format('%s %s', conrelid::regclass, conname) AS fk FROM pg_constraint
       WHERE contype = 'f' AND conrelid::regclass::text = ANY ($1) AND confrelid::regclass::text = ANY ($1)
         AND NOT EXISTS (
           SELECT FROM unnest(conkey, confkey) AS pair (here, there)
           JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = here AND a.attname = 'tenant_id'
           JOIN pg_attribute b ON b.attrelid = confrelid AND b.attnum = there AND b.attname = 'tenant_id')`,
      [tables],
    );
    // These may name a version or a client of the platform; a CHECK keeps them to that or their own tenant.
    expect(rows.map(({ fk }) => fk).sort()).toEqual([
      'bindings bindings_provider_client_tenant_id_provider_client_platfor_fkey',
      'connections connections_provider_client_tenant_id_provider_client_plat_fkey',
      'pack_activations pack_activations_version_tenant_id_platform_version_id_fkey',
      'runs runs_pack_tenant_id_pack_platform_pack_version_id_fkey',
    ]);
  });

  it('gives the application nothing to own and no way around the policies', async () => {
    const { rows: owned } = await superuser.query(
      `SELECT relname FROM pg_class WHERE relowner IN ('hcp_app'::regrole, 'hcp_queue'::regrole)
       UNION ALL SELECT datname FROM pg_database WHERE datdba IN ('hcp_app'::regrole, 'hcp_queue'::regrole)
       UNION ALL SELECT nspname FROM pg_namespace WHERE nspowner = 'hcp_app'::regrole`,
    );
    expect(owned).toEqual([]);
    const { rows: roles } = await superuser.query(
      `SELECT rolname FROM pg_roles WHERE rolname LIKE 'hcp\\_%'
       AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication)`,
    );
    expect(roles).toEqual([]);
    const { rows: memberships } = await superuser.query(
      `SELECT FROM pg_auth_members WHERE member IN ('hcp_app'::regrole, 'hcp_queue'::regrole)`,
    );
    expect(memberships).toEqual([]);
  });

  it('runs nothing as its owner but the triggers that keep pack_ids and the line of the audit log', async () => {
    const { rows } = await superuser.query<{ proname: string; result: string; config: string[] }>(
      `SELECT proname, prorettype::regtype::text AS result, proconfig AS config FROM pg_proc
       WHERE prosecdef AND pronamespace = 'public'::regnamespace ORDER BY proname`,
    );
    const trigger = { result: 'trigger', config: ['search_path=public, pg_temp'] };
    const known = ['audit_event_placed', 'audit_event_waits', 'pack_id_given_back', 'pack_id_taken'];
    expect(rows).toEqual(known.map((proname) => ({ proname, ...trigger })));
  });

  it('lets the queue see no table of the application', async () => {
    const { rows } = await superuser.query(
      `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
       AND has_table_privilege('hcp_queue', oid, 'SELECT, INSERT, UPDATE, DELETE')`,
    );
    expect(rows).toEqual([]);
  });
});

describe('every tenant table', () => {
  it('shows no row without a tenant', async () => {
    for (const table of tables) {
      const rows = await test.db.global((tx) => tx.$queryRaw<Counted>(count(table)));
      expect({ table, rows }).toEqual({ table, rows: [{ n: 0 }] });
    }
  });

  it('shows a tenant its own rows and no others', async () => {
    for (const table of tables) {
      const seen = await test.db.tenant(ours, async (tx) => ({
        own: await tx.$queryRaw<Counted>(Prisma.sql`${count(table)} WHERE tenant_id = ${ours}::uuid`),
        foreign: await tx.$queryRaw<Counted>(Prisma.sql`${count(table)} WHERE tenant_id <> ${ours}::uuid`),
      }));
      expect(seen.own[0]?.n, table).toBeGreaterThan(0);
      expect(seen.foreign, table).toEqual([{ n: 0 }]);
    }
  });

  it('lets nobody change or remove a foreign row', async () => {
    for (const table of tables) {
      const name = Prisma.raw(`"${table}"`);
      const changes = [
        Prisma.sql`UPDATE ${name} SET tenant_id = tenant_id WHERE tenant_id = ${theirs}::uuid`,
        Prisma.sql`DELETE FROM ${name} WHERE tenant_id = ${theirs}::uuid`,
      ];
      for (const change of changes) {
        const changed = await test.db
          .tenant(ours, (tx) => tx.$executeRaw(change))
          .catch((error: unknown) => String(error));
        if (typeof changed === 'string') expect(changed, table).toMatch(REFUSED);
        else expect(changed, table).toBe(0);
      }
    }
  });

  it('lets nobody give a row away or insert one into a foreign tenant', async () => {
    for (const table of tables) {
      const name = Prisma.raw(`"${table}"`);
      const moves = [
        Prisma.sql`UPDATE ${name} SET tenant_id = ${theirs}::uuid`,
        Prisma.sql`INSERT INTO ${name} SELECT (jsonb_populate_record(
          t, jsonb_build_object('tenant_id', ${theirs}::text, 'id', ${randomUUID()}::text))).* FROM ${name} AS t LIMIT 1`,
      ];
      for (const move of moves) {
        await expect(
          test.db.tenant(ours, (tx) => tx.$executeRaw(move)),
          table,
        ).rejects.toThrow(REFUSED);
      }
    }
  });
});

describe('the audit', () => {
  it('takes new events and refuses every change of old ones', async () => {
    const tables_of_the_log = ['audit_events', 'audit_leaves', 'audit_nodes', 'audit_pending'];
    for (const change of tables_of_the_log.flatMap((table) => [
      Prisma.sql`UPDATE ${Prisma.raw(table)} SET tenant_id = tenant_id`,
      Prisma.sql`DELETE FROM ${Prisma.raw(table)}`,
      Prisma.sql`TRUNCATE ${Prisma.raw(table)}`,
    ])) {
      await expect(test.db.tenant(ours, (tx) => tx.$executeRaw(change))).rejects.toThrow(/permission denied/);
    }
  });
});

describe('references', () => {
  it('does not take a principal of another tenant', async () => {
    const { rows } = await superuser.query<{ id: string }>('SELECT id FROM principals WHERE tenant_id = $1', [theirs]);
    const foreign = rows[0]?.id ?? '';
    await expect(
      test.db.tenant(ours, (tx) =>
        tx.grant.create({
          data: { tenant_id: ours, id: randomUUID(), principal_id: foreign, capability: 'audit.read' },
        }),
      ),
    ).rejects.toMatchObject({ code: 'P2003' });
  });
});

import type { Caller } from '@hcp/core';
import { Database, sql } from '@hcp/database';
import { listRuns, type RunFilter } from '@hcp/runs';
import { createTestDatabase, type TestDatabase } from '@hcp/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seedRuns } from '../../support/seed-runs.js';
import { makeWorld } from '../packs/support/caller.js';

/** A page of runs is read by an index in the order in which it is shown, however many there are and how deep it lies. */

let database: TestDatabase;
let db: Database;
/** As the application, in words of its own: a plan without values goes only so. */
let app: pg.Client;
let owner: Caller;
let middle: string;

beforeAll(async () => {
  database = await createTestDatabase();
  // One connection, so that what it has prepared is what was asked.
  db = new Database({ url: database.app_url, max: 1 });
  // Others have as many: in a tenant alone the index of all ids would do as well.
  for (let tenant = 0; tenant < 10; tenant += 1) {
    ({ owner } = await makeWorld(database.db));
    const { tenant_id, principal } = owner;
    await seedRuns({ database }, { tenant_id, principal_id: principal.id, count: 3000 });
  }
  app = new pg.Client({ connectionString: database.app_url });
  await app.connect();
  await app.query(`select set_config('app.tenant_id', $1, false)`, [owner.tenant_id]);
  const { next_cursor } = await listRuns(db, owner, { limit: 200 });
  middle = String(next_cursor);
}, 120_000);
afterAll(async () => {
  await app.end();
  await db.close();
  await database.close();
});

const FILTERS: [string, () => Omit<RunFilter, 'limit'>][] = [
  ['none', () => ({})],
  ['a state', () => ({ status: 'failed' })],
  ['a pack', () => ({ pack_id: 'seeded-3' })],
  ['a place', () => ({ cursor: middle })],
  ['a state and a place', () => ({ status: 'failed', cursor: middle })],
  ['a pack and a place', () => ({ pack_id: 'seeded-3', cursor: middle })],
];

/** The statement itself, as the database was sent it. */
async function statementsOf(filter: Omit<RunFilter, 'limit'>): Promise<string[]> {
  const prepared = () =>
    db.tenant(owner.tenant_id, (tx) =>
      tx.$queryRaw<{ statement: string }[]>(sql`
        select statement from pg_prepared_statements
        where statement like '%"runs"%' and statement not like '%pg_prepared_statements%'`),
    );
  const before = new Set((await prepared()).map(({ statement }) => statement));
  expect((await listRuns(db, owner, { ...filter, limit: 50 })).items).toHaveLength(50);
  const all = (await prepared()).map(({ statement }) => statement);
  const fresh = all.filter((statement) => !before.has(statement));
  return fresh.length > 0 ? fresh : all;
}

it.each(FILTERS)('by %s: no sequential scan and no sort', async (_, filter) => {
  const statements = await statementsOf(filter());
  expect(statements.length).toBeGreaterThan(0);
  for (const statement of statements) {
    const plan = await app.query<{ 'QUERY PLAN': string }>(`explain (generic_plan, costs off) ${statement}`);
    const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(text).toContain('Index Scan Backward using runs_pkey on runs');
    expect(text).not.toMatch(/Seq Scan|Sort/);
  }
});

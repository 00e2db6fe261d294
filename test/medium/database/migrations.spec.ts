import { migrate, schemaDrift } from '@hcp/database';
import { createEmptyDatabase } from '@hcp/testing';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;

beforeEach(async () => {
  database = await createEmptyDatabase();
});

afterEach(() => database.close());

it('makes the tables of schema.prisma from nothing', async () => {
  expect(await migrate(database)).not.toEqual([]);
  expect(await schemaDrift(database)).toBe('');
});

it('has nothing to do a second time', async () => {
  await migrate(database);
  expect(await migrate(database)).toEqual([]);
});

it('notices a table that differs', async () => {
  await migrate(database);
  const client = new pg.Client({ connectionString: database.owner_url });
  await client.connect();
  await client.query('ALTER TABLE runs DROP COLUMN land');
  await client.end();
  expect(await schemaDrift(database)).toContain('ADD COLUMN     "land"');
});

it('records what it applied where Prisma looks for it', async () => {
  const applied = await migrate(database);
  const client = new pg.Client({ connectionString: database.owner_url });
  await client.connect();
  const { rows } = await client.query<{ migration_name: string }>(
    'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY started_at',
  );
  await client.end();
  expect(rows.map((row) => row.migration_name)).toEqual(applied);
});

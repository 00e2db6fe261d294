import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationList, SchemaFilter } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import { withEngine } from './engine.js';

const PRISMA_DIR = fileURLToPath(new URL('../../../prisma/', import.meta.url));
const NO_FILTERS: SchemaFilter = { externalTables: [], externalEnums: [] };

export interface MigrateOptions {
  /** Connection string of the role that owns the tables; the roles of `createRoles` must exist. */
  readonly owner_url: string;
  /** Folder with schema.prisma and migrations/; the repository's by default. */
  readonly prisma_dir?: string;
}

/**
 * Applies the migrations that are missing, in order, and records them in `_prisma_migrations` as Prisma's CLI does.
 * Returns their names.
 */
export async function migrate(options: MigrateOptions): Promise<readonly string[]> {
  const dir = options.prisma_dir ?? PRISMA_DIR;
  const schema = await readSchema(dir);
  const migrationsList = await readMigrations(join(dir, 'migrations'));
  return withEngine(options.owner_url, [[schema.path, schema.content]], async (engine) => {
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: NO_FILTERS });
    return appliedMigrationNames;
  });
}

/**
 * The SQL that would turn the tables of a migrated database into those of schema.prisma; empty when they agree.
 * What the migrations hold beyond Prisma's schema (foreign keys with tenant_id, the unique index over nulls) is dropped
 * first, so give it a database of its own.
 */
export async function schemaDrift(options: MigrateOptions): Promise<string> {
  const dir = options.prisma_dir ?? PRISMA_DIR;
  const schema = await readSchema(dir);
  await dropHandWritten(options.owner_url);
  return diff(options.owner_url, schema, { tag: 'schemaDatasource', files: [schema], configDir: dir });
}

/** The SQL that makes the tables of schema.prisma from nothing: where a first migration starts. */
export async function schemaSql(options: MigrateOptions): Promise<string> {
  return diff(options.owner_url, await readSchema(options.prisma_dir ?? PRISMA_DIR), { tag: 'empty' });
}

type SchemaFile = { path: string; content: string };
type From = { tag: 'empty' } | { tag: 'schemaDatasource'; files: SchemaFile[]; configDir: string };

async function diff(url: string, schema: SchemaFile, from: From): Promise<string> {
  const { stdout } = await withEngine(url, [[schema.path, schema.content]], (engine) =>
    engine.diff({
      from,
      to: { tag: 'schemaDatamodel', files: [schema] },
      script: true,
      exitCode: null,
      filters: NO_FILTERS,
    }),
  );
  const sql = (stdout ?? '').trim();
  return sql === '-- This is an empty migration.' ? '' : sql;
}

async function dropHandWritten(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ statement: string }>(`
      SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS statement
      FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace
      UNION ALL
      SELECT format('DROP INDEX %s', indexrelid::regclass)
      FROM pg_index WHERE indnullsnotdistinct AND indrelid IN
        (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)`);
    for (const row of rows) await client.query(row.statement);
  } finally {
    await client.end();
  }
}

async function readSchema(dir: string): Promise<SchemaFile> {
  return { path: 'schema.prisma', content: await readFile(join(dir, 'schema.prisma'), 'utf8') };
}

async function readMigrations(dir: string): Promise<MigrationList> {
  const entries = await readdir(dir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const migrationDirectories = await Promise.all(
    names.sort().map(async (name) => ({
      path: name,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok' as const, value: await readFile(join(dir, name, 'migration.sql'), 'utf8') },
      },
    })),
  );
  return {
    baseDir: dir,
    lockfile: { path: 'migration_lock.toml', content: await readFile(join(dir, 'migration_lock.toml'), 'utf8') },
    shadowDbInitScript: '',
    migrationDirectories,
  };
}

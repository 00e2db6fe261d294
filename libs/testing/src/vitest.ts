import { cloneDatabase, emptyDatabase, type SharedPostgres, type TestDatabase } from './database.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Set by the global setup of the projects that use a database. */
    hcp_postgres: SharedPostgres;
  }
}

// Loaded late: outside a test run, where only the server below is wanted, vitest refuses to be imported.
async function shared(): Promise<SharedPostgres> {
  const { inject } = await import('vitest');
  return inject('hcp_postgres');
}

/** A fresh, migrated database for this test file. Close it in `afterAll`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return cloneDatabase(await shared());
}

/** A fresh database without tables. */
export async function createEmptyDatabase(): ReturnType<typeof emptyDatabase> {
  return emptyDatabase(await shared());
}

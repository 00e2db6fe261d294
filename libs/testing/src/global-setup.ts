import type { TestProject } from 'vitest/node';
import { startSharedPostgres } from './database.js';

/** One PostgreSQL for a whole test run; the processes that run the files get its address. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { shared, server } = await startSharedPostgres();
  project.provide('hcp_postgres', shared);
  return () => server.stop();
}

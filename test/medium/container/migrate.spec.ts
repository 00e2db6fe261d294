import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createEmptyDatabase } from '@hcp/testing';
import { startNode } from '../../support/process.js';

const SCRIPT = fileURLToPath(new URL('../../../scripts/migrate.mjs', import.meta.url));

let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;

beforeAll(async () => {
  empty = await createEmptyDatabase();
});

afterAll(() => empty.close());

async function migrate(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const started = startNode(SCRIPT, env);
  const code = await started.exited;
  return { code, output: started.output() };
}

/** The address of a role of the test server, with its password there: the server is shared. */
function roleUrl(role: string, password: string): string {
  const url = new URL(empty.owner_url);
  url.username = role;
  url.password = password;
  return url.href;
}

it('makes the roles and the database, migrates, and does nothing the second time', async () => {
  const { superuser_url, app_password, queue_password } = inject('hcp_postgres');
  const env = {
    SUPERUSER_DATABASE_URL: superuser_url,
    OWNER_DATABASE_URL: empty.owner_url,
    DATABASE_URL: roleUrl('hcp_app', app_password),
    QUEUE_DATABASE_URL: roleUrl('hcp_queue', queue_password),
  };
  const first = await migrate(env);
  expect(first.output).toMatch(/^applied \d{14}_/);
  expect(first.code).toBe(0);
  expect(await migrate(env)).toEqual({ code: 0, output: 'nothing to apply\n' });
  expect(await migrate({ OWNER_DATABASE_URL: empty.owner_url })).toEqual({ code: 0, output: 'nothing to apply\n' });
}, 180_000);

it('names what is wrong in its environment and never a value', async () => {
  const { superuser_url } = inject('hcp_postgres');
  const { code, output } = await migrate({
    SUPERUSER_DATABASE_URL: superuser_url,
    OWNER_DATABASE_URL: 'postgresql://hcp_app:hunter2@localhost/hunter2',
  });
  expect(code).toBe(1);
  expect(output).toContain('OWNER_DATABASE_URL must be postgresql://hcp_owner:<password>@<host>/<database>');
  expect(output).toContain('DATABASE_URL must be set too');
  expect(output).not.toContain('hunter2');
});

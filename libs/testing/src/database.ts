import { randomBytes, randomUUID } from 'node:crypto';
import { APP_ROLE, createRoles, Database, migrate, OWNER_ROLE, QUEUE_ROLE } from '@hcp/database';
import pg from 'pg';
import { startPostgresServer, type PostgresServer } from './postgres/server.js';

const TEMPLATE = 'hcp_template';

/** What a test run shares: plain data, because it travels to the worker processes. */
export interface SharedPostgres {
  readonly superuser_url: string;
  readonly owner_password: string;
  readonly app_password: string;
  readonly queue_password: string;
}

export interface TestDatabase {
  /** As the application sees it. */
  readonly db: Database;
  readonly app_url: string;
  /** Owns the tables; bound by row-level security too. */
  readonly owner_url: string;
  readonly queue_url: string;
  /** Bypasses row-level security: to look behind the application's back. */
  readonly superuser_url: string;
  /** Closes `db` and drops the database. */
  close(): Promise<void>;
}

/** Starts a temporary server with the roles and one migrated database that every test database is a copy of. */
export async function startSharedPostgres(): Promise<{ shared: SharedPostgres; server: PostgresServer }> {
  const server = await startPostgresServer();
  try {
    const shared = {
      superuser_url: server.superuserUrl(),
      owner_password: secret(),
      app_password: secret(),
      queue_password: secret(),
    };
    await createRoles({ ...shared, database: TEMPLATE });
    await migrate({ owner_url: roleUrl(shared, OWNER_ROLE, shared.owner_password, TEMPLATE) });
    return { shared, server };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** A copy of the migrated database, for one test file. */
export async function cloneDatabase(shared: SharedPostgres): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await superuser(shared, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} OWNER ${OWNER_ROLE}`);
  await superuser(shared, `REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
  await superuser(shared, `GRANT CONNECT ON DATABASE ${name} TO ${APP_ROLE}`);
  await superuser(shared, `GRANT CONNECT, CREATE ON DATABASE ${name} TO ${QUEUE_ROLE}`);
  const app_url = roleUrl(shared, APP_ROLE, shared.app_password, name);
  const db = new Database({ url: app_url, max: 10 });
  return {
    db,
    app_url,
    owner_url: roleUrl(shared, OWNER_ROLE, shared.owner_password, name),
    queue_url: roleUrl(shared, QUEUE_ROLE, shared.queue_password, name),
    superuser_url: withDatabase(shared.superuser_url, name),
    async close() {
      await db.close();
      await superuser(shared, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** An empty database of the owner's, for trials of the migrations themselves. */
export async function emptyDatabase(shared: SharedPostgres): Promise<{ owner_url: string; close(): Promise<void> }> {
  const database = `empty_${randomUUID().replaceAll('-', '')}`;
  await createRoles({ ...shared, database });
  return {
    owner_url: roleUrl(shared, OWNER_ROLE, shared.owner_password, database),
    close: () => superuser(shared, `DROP DATABASE ${database} WITH (FORCE)`),
  };
}

function secret(): string {
  return randomBytes(18).toString('hex');
}

function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

function roleUrl(shared: SharedPostgres, role: string, password: string, database: string): string {
  const url = new URL(withDatabase(shared.superuser_url, database));
  url.username = role;
  url.password = password;
  return url.href;
}

async function superuser(shared: SharedPostgres, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: shared.superuser_url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

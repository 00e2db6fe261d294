import pg from 'pg';

/** Owns the tables and runs migrations; no superuser, and bound by row-level security like everyone. */
export const OWNER_ROLE = 'hcp_owner';
/** The application: reads and writes rows, owns nothing. */
export const APP_ROLE = 'hcp_app';
/** The queue: owns its schema, sees no table of the application. */
export const QUEUE_ROLE = 'hcp_queue';
export const QUEUE_SCHEMA = 'bullmq';

export interface RoleOptions {
  /** Connection string of a superuser, to any database of the server. */
  readonly superuser_url: string;
  /** Name of the application's database, made where it is missing. */
  readonly database: string;
  readonly app_password: string;
  readonly queue_password: string;
  readonly owner_password: string;
}

/** Makes the three roles and the database, or brings existing ones (their passwords too) to this state. */
export async function createRoles(options: RoleOptions): Promise<void> {
  const client = new pg.Client({ connectionString: options.superuser_url });
  await client.connect();
  try {
    const roles = [
      [OWNER_ROLE, options.owner_password],
      [APP_ROLE, options.app_password],
      [QUEUE_ROLE, options.queue_password],
    ] as const;
    for (const [role, password] of roles) await ensureRole(client, role, password);
    await ensureDatabase(client, options.database);
  } finally {
    await client.end();
  }
  await grantInside(options);
}

async function ensureRole(client: pg.Client, role: string, password: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  // Statements about roles take no parameters, hence the escaping.
  const verb = rowCount === 0 ? 'CREATE' : 'ALTER';
  await client.query(
    `${verb} ROLE ${client.escapeIdentifier(role)} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS ` +
      `PASSWORD ${client.escapeLiteral(password)}`,
  );
}

async function ensureDatabase(client: pg.Client, database: string): Promise<void> {
  const name = client.escapeIdentifier(database);
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
  if (rowCount === 0) await client.query(`CREATE DATABASE ${name} OWNER ${OWNER_ROLE}`);
  await client.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
  await client.query(`GRANT CONNECT ON DATABASE ${name} TO ${APP_ROLE}`);
  // The queue's own migrations begin with CREATE SCHEMA IF NOT EXISTS, which asks for CREATE even where it exists.
  await client.query(`GRANT CONNECT, CREATE ON DATABASE ${name} TO ${QUEUE_ROLE}`);
}

async function grantInside(options: RoleOptions): Promise<void> {
  const url = new URL(options.superuser_url);
  url.pathname = `/${encodeURIComponent(options.database)}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${QUEUE_SCHEMA} AUTHORIZATION ${QUEUE_ROLE}`);
  } finally {
    await client.end();
  }
}

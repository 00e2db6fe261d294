import { randomBytes } from 'node:crypto';
import { createRoles, migrate } from '@hcp/database';
import { readMigrateEnv } from './lib/migrate-env.mjs';

/**
 * Brings a database to this version: with SUPERUSER_DATABASE_URL makes the roles and the database too, or sets the
 * roles' passwords to those in the other URLs; then applies the migrations that are missing. Safe to run again.
 */

try {
  const env = readMigrateEnv(process.env);
  if (env.SUPERUSER_DATABASE_URL !== undefined) {
    await createRoles({
      superuser_url: env.SUPERUSER_DATABASE_URL,
      database: decodeURIComponent(new URL(env.OWNER_DATABASE_URL).pathname.slice(1)),
      owner_password: passwordOf(env.OWNER_DATABASE_URL),
      app_password: passwordOf(env.DATABASE_URL),
      // With the queue on Redis nobody signs in as its role.
      queue_password: env.QUEUE_DATABASE_URL ? passwordOf(env.QUEUE_DATABASE_URL) : randomBytes(32).toString('hex'),
    });
  }
  const applied = await migrate({ owner_url: env.OWNER_DATABASE_URL });
  process.stdout.write(applied.length > 0 ? `applied ${applied.join(', ')}\n` : 'nothing to apply\n');
} catch (error) {
  process.stderr.write(`migrate: ${error.message}\n`);
  process.exit(1);
}

function passwordOf(url) {
  return decodeURIComponent(new URL(url).password);
}

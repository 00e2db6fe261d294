import { generate, ROOT } from './build.mjs';
import { join } from 'node:path';
import { run } from './run.mjs';

/** What schema.prisma has and the migrations do not make, as SQL; empty where they agree. Needs no running database. */
export async function migrationDrift() {
  await generate();
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-b', 'libs/testing'], { cwd: ROOT });
  const { startPostgresServer } = await import('@hcp/testing');
  const { createRoles, migrate, schemaDrift } = await import('@hcp/database');
  const server = await startPostgresServer();
  try {
    const password = 'only on this temporary server';
    await createRoles({
      superuser_url: server.superuserUrl(),
      database: 'drift',
      owner_password: password,
      app_password: password,
      queue_password: password,
    });
    const owner = new URL(server.superuserUrl('drift'));
    owner.username = 'hcp_owner';
    owner.password = encodeURIComponent(password);
    await migrate({ owner_url: owner.href });
    return await schemaDrift({ owner_url: owner.href });
  } finally {
    await server.stop();
  }
}

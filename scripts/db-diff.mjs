import { migrationDrift } from './lib/drift.mjs';

/** `npm run db:diff`: the SQL that a next migration needs, so that the tables become those of schema.prisma. */
const sql = await migrationDrift();
if (sql === '') process.stdout.write('the migrations make the tables of schema.prisma\n');
else {
  process.stdout.write(`${sql}\n`);
  process.exitCode = 1;
}

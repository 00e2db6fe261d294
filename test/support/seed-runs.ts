import pg from 'pg';
import { randomUUID } from 'node:crypto';
import type { TestDatabase } from '@hcp/testing';

export interface SeededRuns {
  readonly tenant_id: string;
  readonly principal_id: string;
  readonly count: number;
}

/** Runs that ended an hour ago, one a second before the other, written by the database itself. Their packs do not exist. */
export async function seedRuns(
  stack: { readonly database: Pick<TestDatabase, 'superuser_url'> },
  { tenant_id, principal_id, count }: SeededRuns,
): Promise<void> {
  const client = new pg.Client({ connectionString: stack.database.superuser_url });
  await client.connect();
  try {
    await client.query(
      `insert into runs (tenant_id, id, status, principal_id, principal_kind, session_id, authority, pack_id, verb_key,
         operation, land, family, pack_version, pack_digest, settings_epoch, args_digest, idempotent, attempts, timeout_ms,
         queue_deadline, created_at, started_at, finished_at, duration_ms, ok)
       select $1, uuidv7(-(n * interval '1 second' + interval '1 hour')),
         case when n % 50 = 0 then 'failed' else 'succeeded' end, $2, 'human', $3, '{}', 'seeded-' || n % 10, 'verb-' || n,
         'read', 'public', 'public', '1.0.0', 'sha256:' || repeat('0', 64), 0, repeat('0', 64), true, 1, 60000, at, at, at,
         at, 5, n % 50 <> 0
       from generate_series(1, $4::int) n, lateral (select clock_timestamp() - n * interval '1 second' - interval '1 hour')
         as made (at)`,
      [tenant_id, principal_id, randomUUID(), count],
    );
    await client.query('analyze runs');
  } finally {
    await client.end();
  }
}

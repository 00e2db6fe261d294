import { sql, type Database, type Sql } from '@hcp/database';

/** Rows that one statement touches at most, so that no lock is held for long. */
const BATCH = 200;
/** Batches per table and look; what is left waits for the next look. */
const MAX_BATCHES = 50;

interface Table {
  readonly name: Sql;
  readonly set: Sql;
  /** Which rows are due, by the database's clock. */
  readonly due: (kept: Sql) => Sql;
  readonly order: Sql;
}

/**
 * A value is kept until the run and the approval that covers it have both ended long enough ago (SPEC R5). Each condition
 * says what must have ended, so that a row that cannot be seen keeps the values.
 */
const TABLES: readonly Table[] = [
  {
    name: sql`runs`,
    set: sql`args_enc = null, outcome_enc = null, output_erased_at = clock_timestamp()`,
    due: (kept) => sql`
      (t.args_enc is not null or t.outcome_enc is not null)
      and t.status in ('succeeded', 'failed', 'timed_out', 'cancelled', 'unknown')
      and t.finished_at <= clock_timestamp() - ${kept}
      and (t.approval_id is null or exists (select from approvals a
        where a.tenant_id = t.tenant_id and a.id = t.approval_id and a.ended_at <= clock_timestamp() - ${kept}))`,
    order: sql`t.finished_at`,
  },
  {
    name: sql`approvals`,
    set: sql`sealed = null, erased_at = clock_timestamp()`,
    due: (kept) => sql`
      t.sealed is not null and t.ended_at <= clock_timestamp() - ${kept}
      and (t.run_id is null or exists (select from runs r
        where r.tenant_id = t.tenant_id and r.id = t.run_id and r.finished_at <= clock_timestamp() - ${kept}))`,
    order: sql`t.ended_at`,
  },
];

/**
 * Erases the arguments, results and cards of every tenant that nothing keeps any more; the rows stay. Several workers may
 * look at once.
 * @param kept_ms how long they are kept after the run and its approval have ended
 * @returns of how many rows
 */
export async function eraseEnded(db: Database, kept_ms: number): Promise<number> {
  const kept = sql`${kept_ms} * interval '1 millisecond'`;
  let erased = 0;
  for (const table of TABLES) {
    for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
      const found = await find(db, table, kept);
      let count = 0;
      for (const tenant_id of new Set(found.map((row) => row.tenant_id))) {
        const rows = found.filter((row) => row.tenant_id === tenant_id);
        count += await erase(db, table, kept, tenant_id, rows);
      }
      erased += count;
      // Another worker may be at the same ones.
      if (found.length < BATCH || count === 0) break;
    }
  }
  return erased;
}

interface Found {
  readonly tenant_id: string;
  readonly id: string;
}

/** The oldest that are due. */
async function find(db: Database, { name, due, order }: Table, kept: Sql): Promise<Found[]> {
  return db.sweeper((tx) =>
    tx.$queryRaw<Found[]>(sql`
      select t.tenant_id::text, t.id::text from ${name} t where ${due(kept)} order by ${order} limit ${BATCH}`),
  );
}

/** Looks again at each: what another worker holds is that one's. */
async function erase(
  db: Database,
  { name, set, due }: Table,
  kept: Sql,
  tenant_id: string,
  rows: readonly Found[],
): Promise<number> {
  return db.tenant(tenant_id, async (tx) => {
    const erased = await tx.$queryRaw<{ id: string }[]>(sql`
      update ${name} set ${set} where tenant_id = ${tenant_id}::uuid and id in (
        select t.id from ${name} t
        where t.tenant_id = ${tenant_id}::uuid and t.id = any(${rows.map(({ id }) => id)}::uuid[]) and ${due(kept)}
        for update of t skip locked)
      returning id::text`);
    // What a run printed before its worker was lost; of every other run nothing is left.
    await tx.runOutput.deleteMany({ where: { tenant_id, run_id: { in: erased.map(({ id }) => id) } } });
    return erased.length;
  });
}

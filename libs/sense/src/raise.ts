import type { SenseSeverity } from '@hcp/core';
import { sql, type SenseEvent, type Sql, type Tx } from '@hcp/database';
import { appendEvent } from '@hcp/events';
import { v7 as uuidv7 } from 'uuid';

export interface Raised {
  readonly tenant_id: string;
  readonly kind: string;
  readonly severity: SenseSeverity;
  /** What it is about, such as `binding:<id>`. */
  readonly subject: string;
  /** For people; without any secret. */
  readonly message: string;
  /** One open event of the tenant has it: what is raised again counts up. */
  readonly dedupe_key: string;
  readonly pack_id: string;
  readonly project_id?: string | null;
  /** Whose alone it is; null: those who may see what others do with the pack. */
  readonly principal_id?: string | null;
  /** The source that saw it; absent: the product itself. */
  readonly source?: { readonly id: string; readonly verb_key: string };
}

type Told = Pick<SenseEvent, 'id' | 'kind' | 'severity' | 'pack_id' | 'project_id' | 'principal_id'>;

/** Opens an event, or counts that what is open was seen again, in the transaction in which it is noticed (SPEC N1). */
export async function raise(tx: Tx, event: Raised): Promise<void> {
  const { tenant_id, kind, severity, subject, message, dedupe_key, pack_id, source } = event;
  const { project_id = null, principal_id = null } = event;
  const rows = await tx.$queryRaw<(Told & { fresh: boolean; same: boolean | null })[]>(sql`
    with before as (
      select severity, message, subject from sense_events
      where tenant_id = ${tenant_id}::uuid and dedupe_key = ${dedupe_key} and cleared_at is null
    )
    insert into sense_events as e (tenant_id, id, kind, severity, subject, message, dedupe_key, pack_id, project_id,
      principal_id, source_id, source_verb, opened_at, last_seen_at)
    values (${tenant_id}::uuid, ${uuidv7()}::uuid, ${kind}, ${severity}, ${subject}, ${message}, ${dedupe_key},
      ${pack_id}, ${project_id}::uuid, ${principal_id}::uuid, ${source?.id ?? null}::uuid, ${source?.verb_key ?? null},
      clock_timestamp(), clock_timestamp())
    on conflict (tenant_id, dedupe_key) where cleared_at is null do update
      set count = least(e.count, 2147483646) + 1, last_seen_at = clock_timestamp(), severity = excluded.severity,
        subject = excluded.subject, message = excluded.message, kind = excluded.kind
    returning id::text, kind, severity, pack_id, project_id::text, principal_id::text, count = 1 as fresh,
      (select b.severity = e.severity and b.message = e.message and b.subject = e.subject from before b) as same`);
  for (const { fresh, same, ...row } of rows) {
    // What is seen again as it was is no news.
    if (!fresh && same === true) continue;
    const { id, pack_id: pack, project_id: project, principal_id: principal } = row;
    const data = { sense_id: id, kind, severity, pack_id: pack, project_id: project, principal_id: principal };
    await appendEvent(tx, {
      tenant_id,
      type: 'sense.changed',
      subject_id: id,
      state: 'open',
      ...(fresh && { told: { type: 'sense.raised', pack_id: pack, data } }),
    });
  }
}

/** Says that what was raised is mended; nothing where it was not. */
export function clear(
  tx: Tx,
  { tenant_id, dedupe_key }: { readonly tenant_id: string; readonly dedupe_key: string },
): Promise<void> {
  return clearWhere(tx, tenant_id, sql`dedupe_key = ${dedupe_key}`);
}

/** The same for every open event that is so. */
export async function clearWhere(tx: Tx, tenant_id: string, which: Sql): Promise<void> {
  const rows = await tx.$queryRaw<{ id: string }[]>(sql`
    update sense_events set cleared_at = clock_timestamp()
    where tenant_id = ${tenant_id}::uuid and cleared_at is null and ${which}
    returning id::text`);
  for (const { id } of rows) {
    await appendEvent(tx, { tenant_id, type: 'sense.changed', subject_id: id, state: 'cleared' });
  }
}

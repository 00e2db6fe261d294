import type { SourceEvent } from '@hcp/core';
import { join, sql, type SenseSource, type Tx } from '@hcp/database';
import { clear, clearWhere, raise } from '../raise.js';

/** One look of a source: a run that was started on schedule. */
export interface SourceLook {
  readonly tenant_id: string;
  readonly sense_source_id: string;
  readonly pack_id: string;
  readonly verb_key: string;
  readonly project_id: string | null;
  /** Whose alone the events are, as the command's land says; null: of those who work with the pack. */
  readonly owner_id: string | null;
}

/** Raises what a look saw, and clears what an earlier look of the same command saw and this one did not (SPEC W8). */
export async function publishEvents(tx: Tx, look: SourceLook, events: readonly SourceEvent[]): Promise<void> {
  const { tenant_id, sense_source_id: id, pack_id, verb_key, project_id, owner_id } = look;
  // A source that was turned off meanwhile says nothing more.
  if (!(await isOn(tx, look))) return;
  const keyOf = ({ key }: SourceEvent): string => `source:${id}:${verb_key}:${key}`;
  for (const event of events) {
    const { kind, severity, subject, message } = event;
    await raise(tx, {
      ...{ tenant_id, pack_id, project_id, kind, severity, subject, message },
      principal_id: owner_id,
      dedupe_key: keyOf(event),
      source: { id, verb_key },
    });
  }
  const seen = events.map(keyOf);
  const other = seen.length === 0 ? sql`true` : sql`dedupe_key not in (${join(seen)})`;
  await clearWhere(tx, tenant_id, sql`source_id = ${id}::uuid and source_verb = ${verb_key} and ${other}`);
  await clear(tx, { tenant_id, dedupe_key: failedKey(look) });
}

/** A look came to nothing: what was seen before stays as it is, and people learn that nobody looks. */
export async function sourceFailed(tx: Tx, look: SourceLook, { run_id, code }: LookEnd): Promise<void> {
  const { tenant_id, pack_id, verb_key, project_id } = look;
  if (!(await isOn(tx, look))) return;
  await raise(tx, {
    ...{ tenant_id, pack_id, project_id },
    kind: 'source_failed',
    severity: 'warning',
    subject: `run:${run_id}`,
    message: `The source ${pack_id}.${verb_key} failed when it looked: ${code}.`,
    dedupe_key: failedKey(look),
  });
}

export interface LookEnd {
  readonly run_id: string;
  readonly code: string;
}

const failedKey = ({ sense_source_id, verb_key }: SourceLook): string => `source_failed:${sense_source_id}:${verb_key}`;
export const pausedKey = (source: Pick<SenseSource, 'id'>): string => `source_paused:${source.id}`;

/** That its looks fail is said no more once it is paused. */
export function clearFailures(tx: Tx, { tenant_id, id }: SenseSource): Promise<void> {
  return clearWhere(tx, tenant_id, sql`starts_with(dedupe_key, ${`source_failed:${id}:`})`);
}

/** Everything that a source saw and that is said of it, once it is turned off. */
export async function clearSource(tx: Tx, source: SenseSource): Promise<void> {
  const { tenant_id, id } = source;
  await clearWhere(tx, tenant_id, sql`(source_id = ${id}::uuid or dedupe_key = ${pausedKey({ id })})`);
  await clearFailures(tx, source);
}

async function isOn(tx: Tx, { tenant_id, sense_source_id: id }: SourceLook): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>(sql`
    select 1 from sense_sources where tenant_id = ${tenant_id}::uuid and id = ${id}::uuid and enabled for share`);
  return rows.length > 0;
}

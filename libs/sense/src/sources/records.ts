import { appendAudit } from '@hcp/audit';
import type { SenseSource as SourceAnswer } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { SenseSource, Tx } from '@hcp/database';

export function sourceAnswer(row: SenseSource): SourceAnswer {
  return {
    id: row.id,
    pack_id: row.pack_id,
    project_id: row.project_id,
    enabled: row.enabled,
    every_s: row.every_s,
    enabled_by: row.principal_id,
    enabled_at: row.enabled_at.toISOString(),
    next_at: row.enabled && row.paused_at === null ? row.next_at.toISOString() : null,
    paused_at: row.paused_at?.toISOString() ?? null,
    paused_reason: row.paused_reason,
  };
}

export type SourceAct = 'sense.enable' | 'sense.disable' | 'sense.pause';

/**
 * Writes an act on a source into the log, in its transaction (SPEC U2).
 * @param caller null where nobody did it
 */
export async function recordSourceAct(
  tx: Tx,
  caller: Caller | null,
  action: SourceAct,
  row: SenseSource,
): Promise<void> {
  await appendAudit(tx, {
    tenant_id: row.tenant_id,
    action,
    ...(caller && {
      principal_id: caller.principal.id,
      principal_kind: caller.principal.kind,
      acts_for: caller.acts_for,
      session_id: caller.session.id,
    }),
    project_id: row.project_id,
    pack_id: row.pack_id,
    decision: action === 'sense.pause' ? 'deny' : 'allow',
    reason: row.paused_reason,
    subject: `sense_source:${row.id}`,
    details: { every_s: row.every_s, session: row.session_id },
  });
}

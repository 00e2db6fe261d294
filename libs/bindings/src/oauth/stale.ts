import { appendAudit } from '@hcp/audit';
import type { Binding, Database, Tx } from '@hcp/database';
import { identityOf } from '../choose.js';
import type { CredentialEvents } from './events.js';

export type StaleReason = 'expired' | 'refused' | 'client_refused' | 'client_removed';

/** For people, after "the … binding for … is stale: ". */
export const STALE_WORDS: Readonly<Record<StaleReason, string>> = {
  expired: 'it ran out',
  refused: 'the provider gives no new token for it',
  client_refused: 'the provider refuses the OAuth client that it was connected through',
  client_removed: 'the OAuth client that it was connected through was removed',
};

export const staleWords = (reason: string | null): string =>
  reason !== null && Object.hasOwn(STALE_WORDS, reason) ? STALE_WORDS[reason as StaleReason] : 'it is good for nothing';

type Seen = Pick<Binding, 'tenant_id' | 'id' | 'version' | 'token_version'>;

/**
 * Marks a connection as good for nothing, unless it was changed since it was looked at (SPEC B6). Waiting runs need not
 * be decided again: the state is read when their credential is lent.
 */
export async function markStale(
  tx: Tx,
  events: CredentialEvents,
  seen: Seen,
  reason: StaleReason,
  now: Date,
): Promise<boolean> {
  const { tenant_id, id, version, token_version } = seen;
  const { count } = await tx.binding.updateMany({
    where: { tenant_id, id, version, token_version, revoked_at: null, stale_at: null },
    data: { stale_at: now, stale_reason: reason, refresh_by: null, refresh_until: null },
  });
  if (count === 0) return false;
  const row = await tx.binding.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id, id } } });
  await events.stale(tx, { ...row, reason });
  await appendAudit(tx, {
    tenant_id,
    action: 'binding.stale',
    project_id: row.project_id,
    pack_id: row.pack_id,
    binding: identityOf(row),
    reason,
    subject: `binding:${id}`,
    details: { owner: row.principal_id },
  });
  return true;
}

const BATCH = 200;

/** Tells of connections that ran out, of every tenant; the next look takes what is left. */
export async function sweepBindings(db: Database, events: CredentialEvents, now = new Date()): Promise<number> {
  const over = await db.reaper((tx) =>
    tx.binding.findMany({
      where: { expires_at: { lte: now }, stale_at: null, revoked_at: null },
      select: { tenant_id: true, id: true, version: true, token_version: true },
      take: BATCH,
    }),
  );
  let marked = 0;
  for (const seen of over) {
    const done = await db.tenant(seen.tenant_id, (tx) => markStale(tx, events, seen, 'expired', now));
    if (done) marked += 1;
  }
  return marked;
}

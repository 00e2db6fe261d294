import type { AuditCheckpoint, AuditConsistency, AuditProof } from '@hcp/contracts';
import { consistencyRanges, inclusionRanges, toBase64 } from '@hcp/core';
import type { Database, Tx } from '@hcp/database';
import { auditItem, type AuditItem } from '../item.js';
import { logKeyText, logOrigin, signCheckpoint, type LogKey } from './checkpoint.js';
import { hashRanges, logSize, treeHead } from './nodes.js';
import { placeEvents } from './place.js';

/** What the log of a tenant is read with. */
export interface LogDeps {
  readonly db: Database;
  /** @throws KeysUnavailable where the root key cannot be used now */
  readonly key: () => Promise<LogKey>;
}

/** The log as it is now, signed (SPEC U3). */
export async function currentCheckpoint({ db, key }: LogDeps, tenant_id: string, now: Date): Promise<AuditCheckpoint> {
  await placeEvents(db, tenant_id);
  const signer = await key();
  return db.tenant(tenant_id, async (tx) => checkpointAt(tx, signer, tenant_id, await logSize(tx, tenant_id), now));
}

async function checkpointAt(tx: Tx, key: LogKey, tenant_id: string, size: number, now: Date): Promise<AuditCheckpoint> {
  const head = await treeHead(tx, tenant_id, size);
  return {
    origin: logOrigin(key.log_name, tenant_id),
    size,
    root: toBase64(head.root),
    signed_at: new Date(Math.floor(now.getTime() / 1000) * 1000).toISOString(),
    checkpoint: await signCheckpoint(key, tenant_id, head, now),
    key: await logKeyText(key, tenant_id),
  };
}

/** Shows that the event is in the log; null where it is not the tenant's. */
export async function proveEvent(
  { db, key }: LogDeps,
  tenant_id: string,
  event_id: string,
  now: Date,
): Promise<AuditProof | null> {
  await placeEvents(db, tenant_id);
  const signer = await key();
  return db.tenant(tenant_id, async (tx) => {
    const leaf = await tx.auditLeaf.findUnique({ where: { tenant_id_event_id: { tenant_id, event_id } } });
    if (!leaf) return null;
    const index = Number(leaf.index);
    const size = await logSize(tx, tenant_id);
    const path = await hashRanges(tx, tenant_id, inclusionRanges(index, size));
    return {
      event_id,
      index,
      leaf: toBase64(leaf.hash),
      path: path.map(toBase64),
      checkpoint: await checkpointAt(tx, signer, tenant_id, size, now),
    };
  });
}

/** Shows that the log of the larger size begins with that of the smaller one; null where it never had such a size. */
export async function proveConsistency(
  { db }: LogDeps,
  tenant_id: string,
  sizes: { readonly from: number; readonly to?: number },
): Promise<AuditConsistency | null> {
  await placeEvents(db, tenant_id);
  return db.tenant(tenant_id, async (tx) => {
    const size = await logSize(tx, tenant_id);
    const { from, to = size } = sizes;
    if (from > to || to > size) return null;
    const [older, newer] = [await treeHead(tx, tenant_id, from), await treeHead(tx, tenant_id, to)];
    const path = await hashRanges(tx, tenant_id, consistencyRanges(from, to));
    return { from, to, from_root: toBase64(older.root), to_root: toBase64(newer.root), path: path.map(toBase64) };
  });
}

/** One event in full; null where it is not the tenant's. */
export async function readEvent(tx: Tx, tenant_id: string, id: string): Promise<AuditItem | null> {
  const row = await tx.auditEvent.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
  return row && auditItem(row);
}

import { sql, type TenantEvent, type Tx } from '@hcp/database';

/** How far back a position may lie that somebody comes back with; rows are kept a little longer. */
export const EVENT_RETENTION_MS = 24 * 60 * 60_000;

/**
 * A place between two events of a tenant. Transactions commit in another order than they took their numbers, so rows
 * are read by their transaction's id, and only of transactions that none older than can still commit: whoever reads on
 * from a position misses nothing.
 */
export interface Position {
  readonly xid: bigint;
  readonly seq: bigint;
}

/** From here on only what happens from now on is read. */
export async function present(tx: Tx): Promise<Position> {
  const [row] = await tx.$queryRaw<{ xid: bigint }[]>(
    sql`select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xid`,
  );
  if (!row) throw new Error('the database has no snapshot');
  return { xid: row.xid, seq: 0n };
}

/** Events behind a position, in the order in which they may be read. */
export function readEvents(tx: Tx, tenant_id: string, { xid, seq }: Position, limit: number): Promise<TenantEvent[]> {
  return tx.$queryRaw<TenantEvent[]>(sql`
    select tenant_id::text, xid, seq, type, subject_id::text, state, at from tenant_events
    where tenant_id = ${tenant_id}::uuid and (xid, seq) > (${xid}, ${seq})
      and xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    order by xid, seq limit ${limit}`);
}

/** Encrypts with a tenant's data key. */
export interface PositionSealer {
  seal(plain: Buffer, aad: string): Buffer;
  /** @throws where the text was changed or belongs to another tenant */
  open(sealed: Buffer, aad: string): Buffer;
}

const PLACE = 'event_position';
/** Characters; a sealed one is far shorter. */
const MAX_SEALED = 400;

/** A position as readers get it: it tells them nothing, and no other tenant's is any good. */
export function sealPosition(sealer: PositionSealer, { xid, seq }: Position, now: Date): string {
  return sealer.seal(Buffer.from(`${xid} ${seq} ${now.getTime()}`), PLACE).toString('base64url');
}

export type Opened = { readonly ok: true; readonly position: Position } | { readonly ok: false };

/**
 * The position that a reader comes back with. Not ok where it is none of this tenant's, where what was behind it may be
 * gone, or where the database has not come that far, as after it was put back from a copy.
 */
export async function openPosition(tx: Tx, sealer: PositionSealer, text: string, now: Date): Promise<Opened> {
  const plain = unsealed(sealer, text);
  const [, xid = '', seq = '', at = ''] = /^(\d{1,18}) (\d{1,18}) (\d{1,15})$/.exec(plain ?? '') ?? [];
  if (xid === '' || now.getTime() - Number(at) > EVENT_RETENTION_MS) return { ok: false };
  const [row] = await tx.$queryRaw<{ ahead: boolean }[]>(
    sql`select ${BigInt(xid)} > pg_snapshot_xmax(pg_current_snapshot())::text::bigint as ahead`,
  );
  return row?.ahead === false ? { ok: true, position: { xid: BigInt(xid), seq: BigInt(seq) } } : { ok: false };
}

function unsealed(sealer: PositionSealer, text: string): string | null {
  if (text.length > MAX_SEALED) return null;
  try {
    return sealer.open(Buffer.from(text, 'base64url'), PLACE).toString();
  } catch {
    return null;
  }
}

import type { Database } from '@hcp/database';
import type { TenantKeys } from '../ports.js';
import type { RunView } from '../queries.js';
import { openPiece } from '../sealing.js';
import type { Piece } from './pending-output.js';

/** Rows of one look. */
const BATCH = 16;

/** A piece and its number. */
export type NumberedPiece = Piece & { readonly seq: number };

/**
 * What the attempt in hand has printed behind a number, in order, as far as one look goes. The rule of who reads it is
 * that of the outcome: for whoever gets that only (SPEC G4).
 */
export async function readOutput(
  db: Database,
  keys: TenantKeys,
  { run, whole }: RunView,
  after: number,
): Promise<NumberedPiece[]> {
  const { tenant_id, id: run_id, attempt_id } = run;
  if (!whole || attempt_id === null || run.output_erased_at !== null) return [];
  const rows = await db.tenant(tenant_id, (tx) =>
    tx.runOutput.findMany({
      where: { tenant_id, run_id, attempt_id, seq: { gt: after } },
      orderBy: { seq: 'asc' },
      take: BATCH,
    }),
  );
  if (rows.length === 0) return [];
  const sealer = await keys(tenant_id);
  return rows.map(({ seq, sealed }) => ({ seq, ...openPiece(sealer, { run_id, attempt_id, seq }, sealed) }));
}

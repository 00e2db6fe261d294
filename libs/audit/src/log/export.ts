import {
  checkpointLineText,
  coveringNodes,
  eventLineText,
  GrowingTree,
  leafText,
  withheldLineText,
  type LogRange,
} from '@hcp/core';
import { sql, type AuditEvent } from '@hcp/database';
import { auditItem } from '../item.js';
import { matching, type AuditFilters } from '../list.js';
import type { LogDeps } from './answers.js';
import { signCheckpoint } from './checkpoint.js';
import { sha256 } from './digest.js';
import { logSize, readNodes } from './nodes.js';
import { placeEvents } from './place.js';

/** Events that are read at a time. */
const BATCH = 500;
/** Events after which a checkpoint stands: so near to it a change is found that was made together with its hash. */
const SIGN_EVERY = 32;

export interface ExportRequest extends Omit<AuditFilters, 'limit' | 'cursor'> {
  /** Places in the log: from the first up to, and without, the second. */
  readonly start?: number;
  readonly end?: number;
}

type Row = AuditEvent & { readonly index: bigint; readonly hash: Uint8Array };

/**
 * The log as lines of JSON (see `readExportLine`), a batch at a time as they are asked for: nothing is held that was not,
 * and no transaction stays open. What is not asked for, or not for this caller to see, is there as hashes, so that every
 * export can be verified against the checkpoint at its end.
 */
export async function* exportLog(
  { db, key }: LogDeps,
  tenant_id: string,
  request: ExportRequest,
  clock: () => Date,
): AsyncGenerator<string, void> {
  const { start = 0, end = Infinity, ...filters } = request;
  await placeEvents(db, tenant_id);
  const signer = await key();
  const size = await db.tenant(tenant_id, (tx) => logSize(tx, tenant_id));
  const until = Math.min(end, size);
  const tree = new GrowingTree(sha256);
  let unsigned = 0;
  for (let from = start, more = from < until; more;) {
    const { rows, gaps } = await db.tenant(tenant_id, async (tx) => {
      const rows = await tx.$queryRaw<Row[]>(sql`
        select e.*, l.index, l.hash from audit_leaves l
        join audit_events e on e.tenant_id = l.tenant_id and e.id = l.event_id
        where l.tenant_id = ${tenant_id}::uuid and l.index >= ${BigInt(from)} and l.index < ${BigInt(until)}
          ${matching(filters)}
        order by l.index limit ${BATCH}`);
      const gaps: LogRange[] = [];
      let at = tree.size;
      for (const row of rows) {
        const index = Number(row.index);
        if (index > at) gaps.push({ from: at, to: index });
        at = index + 1;
      }
      return { rows, gaps: await withHashes(gaps, (nodes) => readNodes(tx, tenant_id, nodes)) };
    });
    let text = '';
    for (const { index: place, hash, ...row } of rows) {
      const index = Number(place);
      if (index > tree.size) text += await withhold(tree, gaps.shift());
      text += eventLineText(index, new Uint8Array(hash), leafText(auditItem(row)));
      await tree.add(new Uint8Array(hash));
      unsigned += 1;
      if (unsigned < SIGN_EVERY || tree.size === size) continue;
      unsigned = 0;
      const head = { size: tree.size, root: await tree.root() };
      text += checkpointLineText(await signCheckpoint(signer, tenant_id, head, null));
    }
    if (text !== '') yield text;
    more = rows.length === BATCH;
    from = tree.size;
  }
  let text = '';
  if (tree.size < size) {
    const [rest] = await db.tenant(tenant_id, (tx) =>
      withHashes([{ from: tree.size, to: size }], (nodes) => readNodes(tx, tenant_id, nodes)),
    );
    text += await withhold(tree, rest);
  }
  const head = { size, root: await tree.root() };
  yield text + checkpointLineText(await signCheckpoint(signer, tenant_id, head, clock()));
}

interface Gap extends LogRange {
  readonly hashes: readonly Uint8Array[];
}

/** All of them by one read. */
async function withHashes(
  gaps: readonly LogRange[],
  read: (nodes: ReturnType<typeof coveringNodes>) => Promise<Uint8Array[]>,
): Promise<Gap[]> {
  const covered = gaps.map(coveringNodes);
  const hashes = await read(covered.flat());
  let at = 0;
  return gaps.map((gap, index) => {
    const own = hashes.slice(at, at + (covered[index]?.length ?? 0));
    at += own.length;
    return { ...gap, hashes: own };
  });
}

async function withhold(tree: GrowingTree, gap: Gap | undefined): Promise<string> {
  if (!gap) throw new Error('the audit log has a hole');
  const { from, to, hashes } = gap;
  for (const [place, { level }] of coveringNodes(gap).entries()) {
    const hash = hashes[place];
    if (hash) await tree.add(hash, level);
  }
  return withheldLineText(from, to, hashes);
}

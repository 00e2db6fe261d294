import { coveringNodes, foldNodes, type LogRange, type TreeHead, type TreeNode } from '@hcp/core';
import { sql, type Tx } from '@hcp/database';
import { sha256 } from './digest.js';

/**
 * The hashes of complete subtrees of a log, in the order asked for.
 * @throws Error where one is not stored: the log is not what its size says
 */
export async function readNodes(tx: Tx, tenant_id: string, nodes: readonly TreeNode[]): Promise<Uint8Array[]> {
  if (nodes.length === 0) return [];
  const [levels, indices] = [nodes.map(({ level }) => level), nodes.map(({ index }) => BigInt(index))];
  const rows = await tx.$queryRaw<{ level: number; index: bigint; hash: Uint8Array }[]>(sql`
    select w.level, w.index, coalesce(l.hash, n.hash) as hash
    from unnest(${levels}::int[], ${indices}::bigint[]) as w (level, index)
    left join audit_leaves l on w.level = 0 and l.tenant_id = ${tenant_id}::uuid and l.index = w.index
    left join audit_nodes n on w.level > 0 and n.tenant_id = ${tenant_id}::uuid and n.level = w.level and n.index = w.index
    where coalesce(l.hash, n.hash) is not null`);
  const found = new Map(rows.map(({ level, index, hash }) => [`${String(level)}/${String(index)}`, hash]));
  return nodes.map(({ level, index }) => {
    const hash = found.get(`${String(level)}/${String(index)}`);
    if (!hash) throw new Error(`the audit log has no node ${String(level)}/${String(index)}`);
    return new Uint8Array(hash);
  });
}

/** One hash for each of these ranges of a proof, by a few reads for each. */
export async function hashRanges(tx: Tx, tenant_id: string, ranges: readonly LogRange[]): Promise<Uint8Array[]> {
  const covered = ranges.map(coveringNodes);
  const hashes = await readNodes(tx, tenant_id, covered.flat());
  const folded: Uint8Array[] = [];
  let at = 0;
  for (const { length } of covered) {
    folded.push(await foldNodes(sha256, hashes.slice(at, at + length)));
    at += length;
  }
  return folded;
}

/** How many events have their place. */
export async function logSize(tx: Tx, tenant_id: string): Promise<number> {
  const [last] = await tx.$queryRaw<{ index: bigint }[]>(sql`
    select index from audit_leaves where tenant_id = ${tenant_id}::uuid order by index desc limit 1`);
  return last ? Number(last.index) + 1 : 0;
}

/** The root at a size that the log has or had. */
export async function treeHead(tx: Tx, tenant_id: string, size: number): Promise<TreeHead> {
  const nodes = coveringNodes({ from: 0, to: size });
  return { size, root: await foldNodes(sha256, await readNodes(tx, tenant_id, nodes)) };
}

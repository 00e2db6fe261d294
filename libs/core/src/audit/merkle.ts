import { joinBytes, sameBytes } from './bytes.js';

/** SHA-256: Web Crypto's answers later, Node's at once; both will do. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** A complete subtree: the hash over the `2 ** level` events from `index * 2 ** level` on. */
export interface TreeNode {
  readonly level: number;
  readonly index: number;
}

/** Events from `from` up to, and without, `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const LEAF = [0];
const NODE = [1];
export const HASH_BYTES = 32;

/** RFC 6962, 2.1: leaves and nodes are told apart by their first byte, so that none can be taken for the other. */
export const leafHash = (sha256: Sha256, leaf: Uint8Array): Uint8Array | Promise<Uint8Array> =>
  sha256(joinBytes(LEAF, leaf));

export const nodeHash = (sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array | Promise<Uint8Array> =>
  sha256(joinBytes(NODE, left, right));

export const emptyRoot = (sha256: Sha256): Uint8Array | Promise<Uint8Array> => sha256(new Uint8Array());

/** The largest power of two that is smaller than `size`. */
function split(size: number): number {
  let half = 1;
  while (half * 2 < size) half *= 2;
  return half;
}

/** The complete subtrees that a range falls into, from left to right; at most two for each level. */
export function coveringNodes({ from, to }: Range): TreeNode[] {
  const nodes: TreeNode[] = [];
  for (let at = from; at < to;) {
    let level = 0;
    let width = 1;
    while (at % (width * 2) === 0 && at + width * 2 <= to) {
      width *= 2;
      level += 1;
    }
    nodes.push({ level, index: at / width });
    at += width;
  }
  return nodes;
}

/** The ranges whose hashes lead from one event to the root, from the leaf upwards (RFC 6962, 2.1.1). */
export function inclusionRanges(index: number, size: number): Range[] {
  const found: Range[] = [];
  let from = 0;
  let to = size;
  while (to - from > 1) {
    const middle = from + split(to - from);
    found.push(index < middle ? { from: middle, to } : { from, to: middle });
    if (index < middle) to = middle;
    else from = middle;
  }
  return found.reverse();
}

/** The ranges whose hashes show that the first `older` events of both trees are the same (RFC 6962, 2.1.2). */
export function consistencyRanges(older: number, newer: number): Range[] {
  if (older === 0) return [];
  const found: Range[] = [];
  let from = 0;
  let to = newer;
  // Whether what is left is the whole older tree, whose root the verifier has.
  let whole = true;
  while (to !== older) {
    const middle = from + split(to - from);
    if (older <= middle) {
      found.push({ from: middle, to });
      to = middle;
    } else {
      found.push({ from, to: middle });
      from = middle;
      whole = false;
    }
  }
  if (!whole) found.push({ from, to });
  return found.reverse();
}

/** The root over hashes of the subtrees that `coveringNodes` names for a range of a proof, or for a whole tree. */
export async function foldNodes(sha256: Sha256, hashes: readonly Uint8Array[]): Promise<Uint8Array> {
  const [last, ...before] = hashes.toReversed();
  if (last === undefined) return emptyRoot(sha256);
  let root = last;
  for (const left of before) root = await nodeHash(sha256, left, root);
  return root;
}

export interface InclusionProof {
  readonly index: number;
  readonly size: number;
  readonly path: readonly Uint8Array[];
}

/** Whether the leaf is the one at this place of the tree with this root (RFC 9162, 2.1.3.2). */
export async function verifyInclusion(
  sha256: Sha256,
  leaf: Uint8Array,
  { index, size, path }: InclusionProof,
  root: Uint8Array,
): Promise<boolean> {
  if (!isPlace(index, size)) return false;
  let place = index;
  let last = size - 1;
  let hash = leaf;
  for (const other of path) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      hash = await nodeHash(sha256, other, hash);
      while (place % 2 === 0 && place !== 0) {
        place /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      hash = await nodeHash(sha256, hash, other);
    }
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && sameBytes(hash, root);
}

const isPlace = (index: number, size: number): boolean =>
  Number.isSafeInteger(index) && Number.isSafeInteger(size) && index >= 0 && index < size;

export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Whether the newer tree begins with the whole older one (RFC 9162, 2.1.4.2). */
export async function verifyConsistency(
  sha256: Sha256,
  older: TreeHead,
  newer: TreeHead,
  path: readonly Uint8Array[],
): Promise<boolean> {
  if (!Number.isSafeInteger(older.size) || !Number.isSafeInteger(newer.size)) return false;
  if (older.size < 0 || older.size > newer.size) return false;
  if (older.size === 0) return path.length === 0 && sameBytes(older.root, await emptyRoot(sha256));
  if (older.size === newer.size) return path.length === 0 && sameBytes(older.root, newer.root);
  const hashes = isPowerOfTwo(older.size) ? [older.root, ...path] : [...path];
  let place = older.size - 1;
  let last = newer.size - 1;
  while (place % 2 === 1) {
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  const [first, ...rest] = hashes;
  if (first === undefined) return false;
  let was = first;
  let is = first;
  for (const hash of rest) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      was = await nodeHash(sha256, hash, was);
      is = await nodeHash(sha256, hash, is);
      while (place % 2 === 0 && place !== 0) {
        place /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      is = await nodeHash(sha256, is, hash);
    }
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && sameBytes(was, older.root) && sameBytes(is, newer.root);
}

function isPowerOfTwo(size: number): boolean {
  let power = 1;
  while (power < size) power *= 2;
  return power === size;
}

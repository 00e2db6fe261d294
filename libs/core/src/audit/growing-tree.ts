import { coveringNodes, foldNodes, nodeHash, type Sha256, type TreeNode } from './merkle.js';

/** A node with its hash. */
export interface HashedNode extends TreeNode {
  readonly hash: Uint8Array;
}

/**
 * A tree of which only the right edge is kept, so that a log of any length is gone through with a few hashes in memory:
 * its whole complete subtrees, from the largest to the smallest.
 */
export class GrowingTree {
  readonly #edge: HashedNode[];
  #size: number;

  /** @param edge the hashes of `coveringNodes({ from: 0, to: size })`, where it does not begin empty */
  constructor(
    private readonly sha256: Sha256,
    size = 0,
    edge: readonly Uint8Array[] = [],
  ) {
    const nodes = coveringNodes({ from: 0, to: size });
    if (nodes.length !== edge.length) throw new RangeError('the edge of the tree does not fit its size');
    this.#edge = edge.flatMap((hash, index) => nodes.slice(index, index + 1).map((node) => ({ ...node, hash })));
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Adds the next event, or a whole subtree that stands for the next ones.
   * @returns the subtrees that this completed, without the one that was added
   * @throws RangeError where a subtree of this level cannot begin here
   */
  async add(hash: Uint8Array, level = 0): Promise<HashedNode[]> {
    const width = 2 ** level;
    if (this.#size % width !== 0) throw new RangeError('a subtree of this size cannot begin here');
    let node: HashedNode = { level, index: this.#size / width, hash };
    const completed: HashedNode[] = [];
    for (let left = this.#edge.at(-1); left?.level === node.level; left = this.#edge.at(-1)) {
      this.#edge.pop();
      node = {
        level: node.level + 1,
        index: left.index / 2,
        hash: await nodeHash(this.sha256, left.hash, node.hash),
      };
      completed.push(node);
    }
    this.#edge.push(node);
    this.#size += width;
    return completed;
  }

  root(): Promise<Uint8Array> {
    return foldNodes(
      this.sha256,
      this.#edge.map(({ hash }) => hash),
    );
  }
}

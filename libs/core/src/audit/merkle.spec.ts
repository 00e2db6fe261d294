import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  consistencyRanges,
  coveringNodes,
  foldNodes,
  GrowingTree,
  inclusionRanges,
  leafHash,
  toBase64,
  fromBase64,
  utf8Bytes,
  verifyConsistency,
  verifyInclusion,
  type LogRange,
} from '../index.js';

const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest());
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** RFC 6962, 2.1, as it is written there. */
function mth(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256(new Uint8Array());
  if (leaves.length === 1) return sha256(Buffer.concat([Buffer.from([0]), ...leaves]));
  const k = halfOf(leaves.length);
  return sha256(Buffer.concat([Buffer.from([1]), mth(leaves.slice(0, k)), mth(leaves.slice(k))]));
}
function path(m: number, leaves: readonly Uint8Array[]): Uint8Array[] {
  if (leaves.length <= 1) return [];
  const k = halfOf(leaves.length);
  return m < k
    ? [...path(m, leaves.slice(0, k)), mth(leaves.slice(k))]
    : [...path(m - k, leaves.slice(k)), mth(leaves.slice(0, k))];
}
function subproof(m: number, leaves: readonly Uint8Array[], whole: boolean): Uint8Array[] {
  if (m === leaves.length) return whole ? [] : [mth(leaves)];
  const k = halfOf(leaves.length);
  return m <= k
    ? [...subproof(m, leaves.slice(0, k), whole), mth(leaves.slice(k))]
    : [...subproof(m - k, leaves.slice(k), false), mth(leaves.slice(0, k))];
}
function halfOf(size: number): number {
  let k = 1;
  while (k * 2 < size) k *= 2;
  return k;
}

const MAX = 130;
const leaves = Array.from({ length: MAX }, (_, index) => utf8Bytes(`event ${String(index)}`));
const hashes = leaves.map((leaf) => leafHash(sha256, leaf) as Uint8Array);

/** Every complete subtree, as a log stores them. */
const nodes = new Map<string, Uint8Array>();
const roots: Uint8Array[] = [];
const ready = (async () => {
  const tree = new GrowingTree(sha256);
  roots.push(await tree.root());
  for (const [index, hash] of hashes.entries()) {
    nodes.set(`0 ${String(index)}`, hash);
    for (const { level, index: at, hash: node } of await tree.add(hash))
      nodes.set(`${String(level)} ${String(at)}`, node);
    roots.push(await tree.root());
  }
})();
const hashOf = (range: LogRange): Promise<Uint8Array> =>
  foldNodes(
    sha256,
    coveringNodes(range).map(({ level, index }) => nodes.get(`${String(level)} ${String(index)}`) ?? new Uint8Array()),
  );
const pathOf = (ranges: readonly LogRange[]): Promise<Uint8Array[]> => Promise.all(ranges.map(hashOf));

describe('a tree of each size to 130', () => {
  it('has the root of the RFC', async () => {
    await ready;
    for (let size = 0; size <= MAX; size += 1) {
      expect(hex(roots[size] ?? new Uint8Array()), String(size)).toBe(hex(mth(leaves.slice(0, size))));
      expect(hex(await hashOf({ from: 0, to: size })), String(size)).toBe(hex(mth(leaves.slice(0, size))));
    }
  });

  it('proves each event with the path of the RFC, and with nothing else', async () => {
    await ready;
    for (let size = 1; size <= MAX; size += 1) {
      const root = roots[size] ?? new Uint8Array();
      for (let index = 0; index < size; index += size > 40 ? 7 : 1) {
        const proof = await pathOf(inclusionRanges(index, size));
        expect(proof.map(hex)).toEqual(path(index, leaves.slice(0, size)).map(hex));
        const leaf = hashes[index] ?? new Uint8Array();
        expect(await verifyInclusion(sha256, leaf, { index, size, path: proof }, root)).toBe(true);
        expect(await verifyInclusion(sha256, leaf, { index, size, path: [...proof, root] }, root)).toBe(false);
        expect(await verifyInclusion(sha256, leaf, { index, size: size + 1, path: proof }, root)).toBe(
          // Only where the same path leads there in a tree of another size; then the size is what the checkpoint signs.
          proof.length === inclusionRanges(index, size + 1).length && (await sameShape(index, size)),
        );
        expect(await verifyInclusion(sha256, root, { index, size, path: proof }, root)).toBe(size === 1);
        if (size > 1) {
          const other = (index + 1) % size;
          expect(await verifyInclusion(sha256, leaf, { index: other, size, path: proof }, root)).toBe(false);
          expect(await verifyInclusion(sha256, leaf, { index, size, path: proof.slice(1) }, root)).toBe(false);
        }
      }
    }
  });

  it('proves that it begins with each older one, by the path of the RFC and no other', async () => {
    await ready;
    for (let newer = 0; newer <= MAX; newer += newer > 40 ? 9 : 1) {
      for (let older = 0; older <= newer; older += 1) {
        const [was, is] = [
          { size: older, root: roots[older] ?? new Uint8Array() },
          { size: newer, root: roots[newer] ?? new Uint8Array() },
        ];
        const proof = await pathOf(consistencyRanges(older, newer));
        if (older > 0) expect(proof.map(hex)).toEqual(subproof(older, leaves.slice(0, newer), true).map(hex));
        expect(await verifyConsistency(sha256, was, is, proof), `${String(older)} ${String(newer)}`).toBe(true);
        expect(await verifyConsistency(sha256, was, is, [...proof, is.root])).toBe(false);
        expect(await verifyConsistency(sha256, { ...was, root: sha256(was.root) }, is, proof)).toBe(false);
        if (older > 0 && older < newer) {
          expect(await verifyConsistency(sha256, was, { ...is, root: sha256(is.root) }, proof)).toBe(false);
          expect(await verifyConsistency(sha256, was, is, proof.slice(1))).toBe(false);
          expect(await verifyConsistency(sha256, is, was, proof)).toBe(false);
        }
      }
    }
  });
});

/** Whether the path of an event turns the same way in the tree that has one event more. */
async function sameShape(index: number, size: number): Promise<boolean> {
  const [here, there] = [inclusionRanges(index, size), inclusionRanges(index, size + 1)];
  return Promise.resolve(here.every(({ from }, at) => from < index === (there[at]?.from ?? 0) < index));
}

describe('known trees', () => {
  // The test data of the first certificate-transparency implementation, which later ones share.
  const known = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
  const KNOWN_ROOTS = [
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ];

  it('have the roots that others find', async () => {
    const tree = new GrowingTree(sha256);
    const found = [hex(await tree.root())];
    for (const leaf of known) {
      await tree.add(await leafHash(sha256, Buffer.from(leaf, 'hex')));
      found.push(hex(await tree.root()));
    }
    expect(found).toEqual(KNOWN_ROOTS);
  });
});

describe('a tree that goes on', () => {
  it('is the same from any size on, by subtrees or events', async () => {
    await ready;
    await fc.assert(
      fc.asyncProperty(fc.nat(MAX), fc.nat(MAX), async (a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const of = (range: LogRange): Uint8Array[] =>
          coveringNodes(range).map(
            ({ level, index }) => nodes.get(`${String(level)} ${String(index)}`) ?? new Uint8Array(),
          );
        const tree = new GrowingTree(sha256, from, of({ from: 0, to: from }));
        for (const { level, index } of coveringNodes({ from, to })) {
          await tree.add(nodes.get(`${String(level)} ${String(index)}`) ?? new Uint8Array(), level);
        }
        expect(tree.size).toBe(to);
        expect(hex(await tree.root())).toBe(hex(roots[to] ?? new Uint8Array()));
      }),
    );
  });

  it('takes no subtree where none can begin', async () => {
    const tree = new GrowingTree(sha256);
    await tree.add(sha256(new Uint8Array()));
    await expect(tree.add(sha256(new Uint8Array()), 1)).rejects.toThrow(RangeError);
    expect(() => new GrowingTree(sha256, 3, [])).toThrow(RangeError);
  });
});

describe('bytes', () => {
  it('are spelled as Node spells them', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = toBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64'));
        expect(fromBase64(text)).toEqual(bytes);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(Buffer.from(utf8Bytes(text)).toString('hex')).toBe(Buffer.from(text, 'utf8').toString('hex'));
      }),
    );
  });

  it('have one spelling', () => {
    for (const text of ['A', 'AA', 'AA=', 'AB==', 'AAA', 'AAB=', 'AA==\n', ' AA==', 'A_A=', '====']) {
      expect(fromBase64(text), text).toBeNull();
    }
  });
});

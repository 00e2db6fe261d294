/**
 * A small assembler for classic BPF as seccomp runs it: forward jumps only, labels instead of offsets.
 * https://www.kernel.org/doc/html/latest/userspace-api/seccomp_filter.html, linux/filter.h, linux/seccomp.h
 */

export type Statement =
  | { op: 'label'; name: string }
  /** Load the 32-bit word at this offset of `struct seccomp_data`. */
  | { op: 'load'; offset: number }
  /** Go to `then` when the comparison with `k` holds, else to the next statement. */
  | { op: 'jeq' | 'jge' | 'jset'; k: number; then: string }
  | { op: 'jump'; to: string }
  | { op: 'return'; k: number };

export const RET_KILL_PROCESS = 0x8000_0000;
export const RET_ALLOW = 0x7fff_0000;
/** The call fails with this errno and is not made. */
export const retErrno = (errno: number): number => 0x0005_0000 + errno;

/** Offsets in `struct seccomp_data`; both architectures are little-endian, so the low half of an argument comes first. */
export const OFFSET_NR = 0;
export const OFFSET_ARCH = 4;
export const offsetArgLow = (index: number): number => 16 + 8 * index;

const LOAD_WORD = 0x20;
const JUMP = 0x05;
const RETURN = 0x06;
const COMPARE = { jeq: 0x15, jge: 0x35, jset: 0x45 } as const;
/** BPF_MAXINSNS. */
const MAX_INSTRUCTIONS = 4096;

/** Turns statements into the program that `bwrap --seccomp FD` reads. Throws on a bad label or a jump that does not fit. */
export function assemble(statements: readonly Statement[]): Buffer {
  const labels = new Map<string, number>();
  const code: Exclude<Statement, { op: 'label' }>[] = [];
  for (const statement of statements) {
    if (statement.op !== 'label') code.push(statement);
    else if (labels.has(statement.name)) throw new Error(`label ${statement.name} is there twice`);
    else labels.set(statement.name, code.length);
  }
  if (code.length > MAX_INSTRUCTIONS) throw new Error('the program is too long');
  const distance = (from: number, label: string, max: number): number => {
    const target = labels.get(label);
    if (target === undefined) throw new Error(`no label ${label}`);
    const skip = target - from - 1;
    if (skip < 0 || skip > max || target >= code.length) throw new Error(`label ${label} is out of reach`);
    return skip;
  };
  const out = Buffer.alloc(code.length * 8);
  code.forEach((statement, index) => {
    const put = (opcode: number, jt: number, k: number): void => {
      out.writeUInt16LE(opcode, index * 8);
      out.writeUInt8(jt, index * 8 + 2);
      out.writeUInt8(0, index * 8 + 3);
      out.writeUInt32LE(k >>> 0, index * 8 + 4);
    };
    switch (statement.op) {
      case 'load':
        return put(LOAD_WORD, 0, statement.offset);
      case 'jump':
        return put(JUMP, 0, distance(index, statement.to, MAX_INSTRUCTIONS));
      case 'return':
        return put(RETURN, 0, statement.k);
      default:
        return put(COMPARE[statement.op], distance(index, statement.then, 255), statement.k);
    }
  });
  return out;
}

/** From `start` on, the answer is `k`, up to the next segment. */
export interface Segment {
  start: number;
  k: number;
}

/** A binary search over what is loaded. `segments` ascend; the first begins at 0. */
export function searchTree(segments: readonly Segment[], prefix = 'tree'): Statement[] {
  const first = segments[0];
  if (first === undefined) throw new Error('no segments');
  if (segments.length === 1) return [{ op: 'return', k: first.k }];
  const middle = Math.ceil(segments.length / 2);
  const upper = segments.slice(middle);
  const label = `${prefix}.${upper[0]?.start}`;
  return [
    { op: 'jge', k: upper[0]?.start ?? 0, then: label },
    ...searchTree(segments.slice(0, middle), prefix),
    { op: 'label', name: label },
    ...searchTree(upper, prefix),
  ];
}

/** Where an entry's content lies in the unpacked tar. */
export interface Span {
  readonly entry: string;
  readonly offset: number;
  readonly size: number;
}

const BLOCK = 512;
/** Headers that describe the next one: PAX (x), PAX global (g), GNU long name (L) and long link name (K). */
const EXTENSIONS = new Set(['x', 'g', 'L', 'K'].map((flag) => flag.charCodeAt(0)));

const GLOBAL = 'g'.charCodeAt(0);
/** What a global header may say without any reader taking the entries for others. */
const HARMLESS = new Set(['comment', 'mtime', 'atime', 'ctime', 'uid', 'gid', 'uname', 'gname']);

/**
 * Refuses what other tar readers would see otherwise: entries behind the end mark, data behind it, gaps between the
 * entries. tar-stream reads over an end mark, so `tar tzf` would not show what is installed.
 */
export function layoutProblem(plain: Buffer, spans: readonly Span[]): { entry: string | null; why: string } | null {
  let at = 0;
  for (const { entry, offset, size } of spans) {
    const header = offset - BLOCK;
    while (at < header) {
      if (isZero(plain, at)) return { entry, why: 'comes after the end of the archive' };
      const skip = extensionSize(plain, at);
      // tar-stream loses its place over an empty one.
      if (skip === null || skip === 0) return { entry, why: 'does not follow the entry before it' };
      if (plain[at + 156] === GLOBAL && renames(plain.subarray(at + BLOCK, at + BLOCK + skip))) {
        return { entry, why: 'comes after a global header that renames what follows' };
      }
      at += BLOCK + padded(skip);
    }
    if (at !== header) return { entry, why: 'does not follow the entry before it' };
    at = offset + padded(size);
  }
  return plain.subarray(at).some((byte) => byte !== 0)
    ? { entry: null, why: 'has data after the end of the archive' }
    : null;
}

function isZero(plain: Buffer, at: number): boolean {
  return plain.subarray(at, at + BLOCK).every((byte) => byte === 0);
}

/** The size of an extension header's content; null when it is none, or its size no plain octal number. */
function extensionSize(plain: Buffer, at: number): number | null {
  if (!EXTENSIONS.has(plain.readUInt8(at + 156))) return null;
  const size = /^ *([0-7]{1,11})[ \0]*$/.exec(plain.toString('latin1', at + 124, at + 136));
  return size?.[1] === undefined ? null : Number.parseInt(size[1], 8);
}

/** Readers differ in what a global header does: tar-stream takes it only together with a PAX header. */
function renames(records: Buffer): boolean {
  const lines = records.toString('utf8').split('\n').filter(Boolean);
  return !lines.every((line) => HARMLESS.has(/^\d+ ([^=]+)=/.exec(line)?.[1] ?? ''));
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

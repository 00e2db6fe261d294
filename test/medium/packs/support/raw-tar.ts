import { deflateRawSync, gzipSync } from 'node:zlib';

/** One raw tar entry; everything may lie, as a hostile archive's does. */
export interface RawEntry {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  /** One character: 0 file, 1 hard link, 2 symlink, 3 and 4 devices, 5 directory, 6 fifo, x PAX, g PAX global, L GNU long name. */
  readonly type?: string;
  readonly mode?: number;
  readonly link?: string;
  /** What the header says instead of the content's length. */
  readonly size?: number;
  readonly prefix?: string;
  readonly mtime?: number;
}

const BLOCK = 512;

export function tarEntry(entry: RawEntry): Buffer {
  const content = Buffer.from(entry.content ?? '');
  return Buffer.concat([tarHeader(entry, entry.size ?? content.length), content, padding(content.length)]);
}

export function tarHeader(entry: RawEntry, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  Buffer.from(entry.name).copy(header, 0, 0, 100);
  header.write(octal(entry.mode ?? 0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(entry.mtime ?? 0, 11), 136);
  header.write(' '.repeat(8), 148);
  header.write(entry.type ?? '0', 156);
  header.write(entry.link ?? '', 157);
  header.write('ustar\0', 257, 'latin1');
  header.write('00', 263);
  header.write(entry.prefix ?? '', 345);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148, 'latin1');
  return header;
}

/** A PAX header for the entry after it. */
export function pax(records: Record<string, string>, type: 'x' | 'g' = 'x'): RawEntry {
  const lines = Object.entries(records).map(([key, value]) => {
    const body = ` ${key}=${value}\n`;
    let length = Buffer.byteLength(body);
    while (Buffer.byteLength(`${length}${body}`) !== length) length = Buffer.byteLength(`${length}${body}`);
    return `${length}${body}`;
  });
  return { name: 'PaxHeaders/x', type, content: lines.join('') };
}

/** A GNU long name for the entry after it. */
export function gnuLongName(name: string): RawEntry {
  return { name: '././@LongLink', type: 'L', content: `${name}\0` };
}

export const END = Buffer.alloc(2 * BLOCK);

export function rawTar(entries: readonly RawEntry[]): Buffer {
  return Buffer.concat([...entries.map(tarEntry), END]);
}

export function tarGz(entries: readonly RawEntry[]): Buffer {
  return gzipSync(rawTar(entries));
}

/**
 * A gzip of a tar whose one file says it has `declared` bytes and has `actual` zeros, which are compressed piece by
 * piece: nothing of that size is ever in memory here.
 */
export function zeroBomb(name: string, declared: number, actual: number): Buffer {
  const header = tarHeader({ name }, declared);
  // A deflate stream may be cut into blocks at byte borders: the same block of zeros again and again.
  const first = deflateRawSync(header, { finishFlush: 3 });
  const piece = 16 * 2 ** 20;
  const zeros = deflateRawSync(Buffer.alloc(piece), { level: 9, finishFlush: 3 });
  const count = Math.ceil(actual / piece);
  const start = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  // The reader stops long before the trailer would be looked at.
  return Buffer.concat([
    start,
    first,
    ...Array.from({ length: count }, () => zeros),
    Buffer.from([3, 0]),
    Buffer.alloc(8),
  ]);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function padding(length: number): Buffer {
  return Buffer.alloc((BLOCK - (length % BLOCK)) % BLOCK);
}

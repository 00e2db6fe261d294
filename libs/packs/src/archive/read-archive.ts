import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';
import { MAX_ARCHIVE_BYTES, MAX_ARCHIVE_ENTRIES, MAX_UNPACKED_BYTES } from '@hcp/contracts';
import type { ArchiveFiles } from '@hcp/pack-files';
import { extract, type Header } from 'tar-stream';
import { entryPath, NameRegister, shownName } from './entry-names.js';
import { deflateStart, trailerProblem } from './gzip.js';
import { layoutProblem, type Span } from './tar-layout.js';

export interface ArchiveLimits {
  readonly compressed_bytes: number;
  readonly unpacked_bytes: number;
  /** Directories count too. */
  readonly entries: number;
  /** Unpacked bytes for each compressed one; the first MiB is free. */
  readonly ratio: number;
}

/** SPEC P7. */
export const ARCHIVE_LIMITS: ArchiveLimits = {
  compressed_bytes: MAX_ARCHIVE_BYTES,
  unpacked_bytes: MAX_UNPACKED_BYTES,
  entries: MAX_ARCHIVE_ENTRIES,
  ratio: 200,
};

export type ReadArchive =
  | { readonly ok: true; readonly files: ArchiveFiles }
  /** `entry` is the name of what is refused, shown safely; `(archive)` where it is the archive itself. */
  | { readonly ok: false; readonly entry: string; readonly why: string };

const ARCHIVE = '(archive)';

/** Leaves the streams with the entry's name; never leaves this file. */
class Refusal extends Error {
  constructor(
    readonly entry: string,
    readonly why: string,
  ) {
    super(why);
  }
}

/**
 * Reads a pack's tar.gz into memory, or refuses it whole and names the entry (SPEC P7). The limits hold while it is
 * being unpacked: a bomb stops at the limit, not at its end. Nothing is written to disk.
 */
export async function readArchive(tar_gz: Buffer, limits: Partial<ArchiveLimits> = {}): Promise<ReadArchive> {
  const bounds = { ...ARCHIVE_LIMITS, ...limits };
  if (tar_gz.length > bounds.compressed_bytes) return refused(ARCHIVE, `is over ${bounds.compressed_bytes} bytes`);
  const start = deflateStart(tar_gz);
  if (start === null) return refused(ARCHIVE, 'is not a gzip file');
  const reader = new ArchiveReader(tar_gz, start, bounds);
  try {
    return { ok: true, files: await reader.read() };
  } catch (error) {
    if (error instanceof Refusal) return refused(error.entry, error.why);
    // zlib and tar-stream report damaged input as errors; they say nothing about the content.
    return refused(reader.current, 'is damaged or no tar.gz');
  }
}

class ArchiveReader {
  current = ARCHIVE;
  readonly #chunks: Buffer[] = [];
  #unpacked = 0;
  #entries = 0;
  readonly #names = new NameRegister();
  readonly #spans: (Span & { path: string; executable: boolean; type: 'file' | 'directory' })[] = [];

  constructor(
    private readonly tar_gz: Buffer,
    private readonly start: number,
    private readonly limits: ArchiveLimits,
  ) {}

  async read(): Promise<ArchiveFiles> {
    const inflate = createInflateRaw();
    const tar = extract();
    tar.on('entry', (header, stream, next) => {
      // tar-stream destroys the entry's stream with the cause; without a listener that would end the process.
      stream.on('error', () => undefined);
      try {
        this.#accept(header);
      } catch (error) {
        next(error as Error);
        return;
      }
      // The content is cut out of the whole at the end, so that it is in memory once.
      stream.on('end', () => next());
      stream.resume();
    });
    await pipeline(
      Readable.from([this.tar_gz.subarray(this.start)]),
      inflate,
      (source: AsyncIterable<Buffer>) => this.#metered(source),
      tar,
    );
    const plain = Buffer.concat(this.#chunks);
    this.#check(ARCHIVE, trailerProblem(this.tar_gz, this.start + inflate.bytesWritten, plain));
    const layout = layoutProblem(plain, this.#spans);
    if (layout) throw new Refusal(layout.entry ?? ARCHIVE, layout.why);
    const files: ArchiveFiles = new Map();
    for (const { path, type, offset, size, executable } of this.#spans) {
      if (type === 'file') files.set(path, { content: plain.subarray(offset, offset + size), executable });
    }
    return files;
  }

  async *#metered(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const by_ratio = 2 ** 20 + this.tar_gz.length * this.limits.ratio;
    for await (const chunk of source) {
      this.#unpacked += chunk.length;
      if (this.#unpacked > this.limits.unpacked_bytes) {
        throw new Refusal(this.current, `takes the archive over ${this.limits.unpacked_bytes} unpacked bytes`);
      }
      if (this.#unpacked > by_ratio) throw new Refusal(this.current, 'is compressed like a decompression bomb');
      this.#chunks.push(chunk);
      yield chunk;
    }
  }

  #accept(header: Header): void {
    this.current = shownName(header.name);
    this.#entries += 1;
    if (this.#entries > this.limits.entries) this.#check(this.current, `is beyond ${this.limits.entries} entries`);
    this.#check(this.current, typeProblem(header));
    const named = entryPath(header.name);
    if (!named.ok) throw new Refusal(this.current, named.why);
    const size = header.size ?? 0;
    const type = header.type === 'directory' ? 'directory' : 'file';
    if (this.#unpacked + size > this.limits.unpacked_bytes + 2 ** 20) {
      this.#check(this.current, `takes the archive over ${this.limits.unpacked_bytes} unpacked bytes`);
    }
    if (named.path === '') {
      if (type !== 'directory') this.#check(this.current, 'has an empty name');
    } else {
      this.#check(this.current, this.#names.add(named.path, type));
    }
    const executable = ((header.mode ?? 0) & 0o111) !== 0;
    const offset = (header as Header & { byteOffset: number }).byteOffset;
    this.#spans.push({ entry: this.current, path: named.path, type, offset, size, executable });
  }

  #check(entry: string, problem: string | null): void {
    if (problem) throw new Refusal(entry, problem);
  }
}

function typeProblem(header: Header): string | null {
  switch (header.type) {
    case 'file':
      // An old way to write a directory, which tar-stream would take for a file.
      if (header.name.endsWith('/')) return 'is a file named like a directory';
      if (Object.keys(header.pax ?? {}).some((key) => key.startsWith('GNU.sparse'))) return 'is a sparse file';
      return Number.isSafeInteger(header.size) && header.size >= 0 ? null : 'has no valid size';
    case 'directory':
      // Its content would be read as further headers.
      return header.size === 0 ? null : 'is a directory with content';
    case 'symlink':
      return 'is a symbolic link';
    case 'link':
      return 'is a hard link';
    case 'character-device':
    case 'block-device':
      return 'is a device';
    case 'fifo':
      return 'is a fifo';
    default:
      return 'is neither a file nor a directory';
  }
}

function refused(entry: string, why: string): ReadArchive {
  return { ok: false, entry, why };
}

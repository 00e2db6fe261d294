import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/**
 * Linux's O_PATH, which Node does not name: pins what a name stands for without opening it, so a device or a fifo
 * does nothing and a link stays a link.
 */
const O_PATH = 0o10000000;
const PIN = O_PATH | constants.O_NOFOLLOW;
const PIN_FOLDER = PIN | constants.O_DIRECTORY;

/**
 * A folder by an open descriptor. Every step into the tree goes through the descriptor of the folder before and follows
 * no link, so whatever a program does to names meanwhile, no step leaves the workspace.
 */
export class Folder {
  private constructor(private readonly handle: FileHandle) {}

  /** A path that only the product itself writes in. Null where it is not there. */
  static async trusted(path: string): Promise<Folder | null> {
    return open(path, PIN_FOLDER).then(
      (handle) => new Folder(handle),
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      },
    );
  }

  /** Where the folder itself is, for calls that take a path. */
  get path(): string {
    return `/proc/self/fd/${String(this.handle.fd)}`;
  }

  /** Where a name in it is. The call must not follow a link there. */
  at(name: string): string;
  at(name: string | Buffer): string | Buffer;
  at(name: string | Buffer): string | Buffer {
    return typeof name === 'string' ? `${this.path}/${name}` : Buffer.concat([Buffer.from(`${this.path}/`), name]);
  }

  /** @throws ENOENT; ENOTDIR for a link and all else that is no folder */
  async folder(name: string | Buffer): Promise<Folder> {
    return new Folder(await open(this.at(name), PIN_FOLDER));
  }

  /** Pins one entry, whatever it is. @throws ENOENT */
  async pin(name: string): Promise<FileHandle> {
    return open(this.at(name), PIN);
  }

  async stat(): Promise<{ readonly uid: number; readonly gid: number }> {
    return this.handle.stat();
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}

/** Opens for reading exactly what is pinned; the caller has made sure that it is a regular file. */
export async function reopen(pinned: FileHandle): Promise<FileHandle> {
  return open(`/proc/self/fd/${String(pinned.fd)}`, constants.O_RDONLY | constants.O_NONBLOCK);
}

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;

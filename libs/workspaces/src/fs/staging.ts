import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, chown, lstat, open, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { makePassable, makePrivate } from './make.js';
import type { Owner } from './tree.js';

/** What a process that died left here is removed after this. */
const STALE_MS = 3_600_000;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export interface Staged {
  readonly path: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/**
 * A folder beside the workspaces, on the same volume, that no sandbox ever sees: files are finished here before they
 * move into a workspace, and folders that were taken out of one are emptied here.
 */
export class Staging {
  readonly #dir: string;

  constructor(root: string) {
    // No workspace is named so: those are hashes.
    this.#dir = join(root, '.staging');
  }

  /** A name that nobody else has. */
  async fresh(): Promise<string> {
    await makePassable(dirname(this.#dir));
    await makePrivate(this.#dir);
    return join(this.#dir, randomUUID());
  }

  /** Writes what comes to the disk; null, with nothing left, where it is more than `limit` bytes. */
  async receive(source: Readable | null, limit: number): Promise<Staged | null> {
    const path = await this.fresh();
    const file = await open(path, NEW_FILE, 0o600);
    const hash = createHash('sha256');
    let size = 0;
    try {
      for await (const chunk of source ?? []) {
        const bytes = chunk as Buffer;
        size += bytes.length;
        if (size > limit) break;
        hash.update(bytes);
        await file.appendFile(bytes);
      }
      if (size <= limit) await file.sync();
    } catch (error) {
      await unlink(path).catch(() => undefined);
      throw error;
    } finally {
      await file.close();
    }
    if (size <= limit) return { path, size, sha256: hash.digest('hex') };
    await this.discard(path);
    return null;
  }

  /** Gives a finished file the mode and owner that it shall have in the workspace. */
  async finish({ path }: Staged, owner: Owner): Promise<void> {
    await chmod(path, 0o644);
    if (owner) await chown(path, owner.uid, owner.gid);
  }

  async discard(path: string): Promise<void> {
    await unlink(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }

  /**
   * Removes a folder that a program filled. Folders are moved beside one another before they are emptied, so that no
   * nesting is too deep, and made writable first. Links are removed, never followed.
   */
  async removeFolder(path: string): Promise<void> {
    const waiting = [path];
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      await chmod(folder, 0o700);
      for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
        const child = Buffer.concat([Buffer.from(`${folder}/`), entry.name]);
        if (!entry.isDirectory()) {
          await unlink(child);
          continue;
        }
        // A folder that its owner may not write to cannot be moved: its `..` changes.
        await chmod(child, 0o700);
        const beside = await this.fresh();
        await rename(child, beside);
        waiting.push(beside);
      }
      await rmdir(folder);
    }
  }

  /** Removes what processes that died left behind. */
  async sweep(now: Date): Promise<void> {
    for (const name of await readdir(this.#dir).catch(() => [])) {
      const path = join(this.#dir, name);
      const info = await lstat(path).catch(() => null);
      if (!info || now.getTime() - info.ctimeMs < STALE_MS) continue;
      await (info.isDirectory() ? this.removeFolder(path) : this.discard(path));
    }
  }
}

import { createHash, randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Database } from '@hcp/database';
import { DIGEST, packDigest, type ArchiveFiles } from '@hcp/pack-files';
import { readArchive } from '../archive/read-archive.js';
import { readable } from '../facts/readable.js';

export interface PackStoreOptions {
  /** Absolute; made when missing. The sandbox's users must be able to enter it. */
  readonly cache_dir: string;
  readonly db: Database;
}

/** Installed packs as read-only directories, unpacked once for each digest. */
export class PackStore {
  /** Digests this process has verified or is unpacking. */
  readonly #ready = new Map<string, Promise<string>>();

  constructor(private readonly options: PackStoreOptions) {}

  /**
   * The directory of an installed version, the tenant's own or the platform's: files 0444 or 0555, directories 0555, content as the digest says. Safe when
   * several processes ask at once. Throws where the version is not there or its archive is not what was installed.
   */
  dir(tenant_id: string, version_id: string, digest: string): Promise<string> {
    const hex = DIGEST.exec(digest)?.[1];
    if (!hex) return Promise.reject(new Error('a pack digest must be sha256:<64 hex digits>'));
    const known = this.#ready.get(hex);
    if (known) return known;
    const made = this.#make(tenant_id, version_id, digest, join(this.options.cache_dir, hex));
    this.#ready.set(hex, made);
    // A failure must not stick: the next call tries again.
    made.catch(() => this.#ready.delete(hex));
    return made;
  }

  async #make(tenant_id: string, version_id: string, digest: string, target: string): Promise<string> {
    // A directory left by an earlier process may be damaged, say by a crash before its content reached the disk.
    if (await exists(target)) {
      if (packDigest(await readTree(target)) === digest) return target;
      const aside = this.#temporary();
      await rename(target, aside).catch(ignoreMissing);
      await removeTree(aside);
    }
    const files = await this.#load(tenant_id, version_id, digest);
    const temporary = this.#temporary();
    try {
      await writeTree(temporary, files);
      await rename(temporary, target);
    } catch (error) {
      await removeTree(temporary);
      // Another process was first; what it put there is the same digest.
      if (!(await exists(target))) throw error;
    }
    return target;
  }

  async #load(tenant_id: string, version_id: string, digest: string): Promise<ArchiveFiles> {
    const row = await this.options.db.tenant(tenant_id, (tx) =>
      tx.packVersion.findFirst({ where: { id: version_id, ...readable(tenant_id) }, select: { archive: true } }),
    );
    if (!row) throw new Error('the pack version is not installed');
    const read = await readArchive(Buffer.from(row.archive));
    if (!read.ok || packDigest(read.files) !== digest)
      throw new Error('the stored pack archive does not match its digest');
    return read.files;
  }

  #temporary(): string {
    return join(this.options.cache_dir, `.tmp-${randomUUID()}`);
  }
}

async function writeTree(root: string, files: ArchiveFiles): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o755 });
  const directories = new Set([root]);
  for (const [path, { content, executable }] of files) {
    const file = join(root, path);
    for (let parent = dirname(file); !directories.has(parent); parent = dirname(parent)) directories.add(parent);
    await mkdir(dirname(file), { recursive: true, mode: 0o755 });
    await writeFile(file, content, { flag: 'wx' });
    // By chmod, since a umask cuts the mode given at creation.
    await chmod(file, executable ? 0o555 : 0o444);
  }
  const deepest_first = [...directories].sort((a, b) => b.length - a.length);
  for (const directory of deepest_first) await chmod(directory, 0o555);
}

async function readTree(root: string): Promise<ArchiveFiles> {
  const files: ArchiveFiles = new Map();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) continue;
    const path = file.slice(root.length + 1);
    const { mode } = await lstat(file);
    // A link is no file of a pack; its name alone makes the digest differ.
    const content = entry.isFile() ? await readFile(file) : createHash('sha256').update(path).digest();
    files.set(path, { content, executable: (mode & 0o111) !== 0 });
  }
  return files;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

/** Read-only directories cannot be emptied by their owner; they become writable first. */
async function removeTree(root: string): Promise<void> {
  if (!(await exists(root))) return;
  await chmod(root, 0o755);
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) await chmod(join(entry.parentPath, entry.name), 0o755);
  }
  await rm(root, { recursive: true, force: true });
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

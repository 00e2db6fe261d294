import { chmod, lstat, mkdir, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes a folder that a hostile program filled; no process may be left that writes to it. Folders are moved beside one
 * another before they are emptied, so that a nesting deeper than PATH_MAX is no obstacle, and made writable first. Links are
 * removed, never followed. Does nothing when `folder` is not there.
 */
export async function removeTree(folder: string): Promise<void> {
  const trash = `${folder}.trash`;
  await mkdir(trash, { recursive: true, mode: 0o700 });
  let moved = 0;
  const take = async (path: string): Promise<void> => {
    await chmod(path, 0o700);
    await rename(path, join(trash, String(moved)));
    moved += 1;
  };
  const info = await lstat(folder).catch(() => null);
  if (info?.isDirectory()) await take(folder);
  else if (info !== null) await unlink(folder);
  for (;;) {
    const names = await readdir(trash);
    if (names.length === 0) break;
    moved = Math.max(moved, ...names.map((name) => Number(name) + 1));
    for (const name of names) {
      const at = join(trash, name);
      await chmod(at, 0o700);
      for (const entry of await readdir(at, { withFileTypes: true, encoding: 'buffer' })) {
        const child = Buffer.concat([Buffer.from(`${at}/`), entry.name]);
        if (!entry.isDirectory()) {
          await unlink(child);
          continue;
        }
        await chmod(child, 0o700);
        await rename(child, join(trash, String(moved)));
        moved += 1;
      }
      await rmdir(at);
    }
  }
  await rmdir(trash);
}

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** Longer values are no file's name. */
const MAX_PATH = 4096;

/**
 * The content of each file of the workspace that an argument names, by the argument's value: what a person approved is
 * the file as it was (SPEC V1). A leading `@`, by which many programs take a file, is no part of the name.
 * @param dir the workspace; null where the command has none that outlives a run
 */
export async function hashFiles(
  dir: string | null,
  args: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, string>>> {
  if (dir === null) return {};
  const root = await realpath(dir).catch(() => null);
  if (root === null) return {};
  const hashes: Record<string, string> = {};
  const values = Object.values(args).flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value]));
  for (const value of new Set(values)) {
    if (typeof value !== 'string' || value === '' || value.length > MAX_PATH || value.includes('\0')) continue;
    const hash = await hashOf(root, value.replace(/^@/, '').replace(/^\/workspace\//, ''));
    if (hash !== null) hashes[value] = hash;
  }
  return hashes;
}

/** Null for what is no file. One that cannot be read, or lies elsewhere, is bound by that alone. */
async function hashOf(root: string, name: string): Promise<string | null> {
  const path = await realpath(join(root, name)).catch(() => null);
  if (path === null || path === root) return null;
  if (!path.startsWith(root + sep)) return 'outside';
  // Never waits: a command may have left a pipe there.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW).catch(() => null);
  if (file === null) return 'unreadable';
  try {
    if (!(await file.stat()).isFile()) return null;
    const hash = createHash('sha256');
    for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
    return `sha256:${hash.digest('hex')}`;
  } finally {
    await file.close();
  }
}

import { constants } from 'node:fs';
import { chmod, lchown, lstat, open, readdir, type FileHandle } from 'node:fs/promises';

/** Deeper than anything honest; each level holds one open folder while it is walked. */
const MAX_DEPTH = 256;
const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

export type Handover = { ok: true } | { ok: false; reason: string };

/**
 * Makes `uid` own the workspace, so that the run's uid may write what an earlier run under another uid left. Walks only
 * when the top belongs to someone else, and changes the top last: an interrupted walk starts again. Each step goes through
 * an open folder without following links, so a link planted in the workspace hands over nothing outside.
 */
export async function handOver(folder: string, uid: number): Promise<Handover> {
  const info = await lstat(folder).catch(() => null);
  if (!info?.isDirectory()) return { ok: false, reason: 'the workspace is no folder' };
  if (info.uid === uid) return { ok: true };
  let top: FileHandle | undefined;
  try {
    top = await open(folder, OPEN_FOLDER);
    if (!(await walk(top, uid, 0))) return { ok: false, reason: 'the workspace is nested too deeply' };
    await top.chown(uid, uid);
    await chmod(folder, 0o700);
    return { ok: true };
  } catch (error) {
    return { ok: false, reason: `the workspace cannot be handed to the sandbox (${codeOf(error)})` };
  } finally {
    await top?.close();
  }
}

async function walk(folder: FileHandle, uid: number, depth: number): Promise<boolean> {
  if (depth > MAX_DEPTH) return false;
  const base = `/proc/self/fd/${folder.fd}/`;
  for (const entry of await readdir(base, { withFileTypes: true, encoding: 'buffer' })) {
    const path = Buffer.concat([Buffer.from(base), entry.name]);
    if (entry.isDirectory()) {
      const child = await open(path, OPEN_FOLDER);
      try {
        if (!(await walk(child, uid, depth + 1))) return false;
      } finally {
        await child.close();
      }
    }
    await lchown(path, uid, uid);
  }
  return true;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

import { chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those above it that are missing, that every user may pass through: the sandbox's users do. By
 * chmod, since a umask cuts the mode given at creation.
 */
export async function makePassable(dir: string): Promise<void> {
  const first = await mkdir(dir, { recursive: true });
  if (first === undefined) return;
  for (let at = dir; at.length >= first.length; at = dirname(at)) await chmod(at, 0o755);
}

/** Makes a folder that only its owner may enter; the one above is there. */
export async function makePrivate(dir: string): Promise<void> {
  await mkdir(dir, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

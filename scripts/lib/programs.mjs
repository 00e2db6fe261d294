import { copyFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A Node that the sandbox's unprivileged user can start: ours, or a copy where our folder keeps other users out.
 * @param {string} runtime_dir
 * @param {(path: string) => boolean} reachableByOthers
 */
export function nodeForEveryone(runtime_dir, reachableByOthers) {
  if (process.getuid?.() !== 0 || reachableByOthers(process.execPath)) return process.execPath;
  const copy = join(runtime_dir, 'bin', 'node');
  if (!existsSync(copy) || statSync(copy).mtimeMs < statSync(process.execPath).mtimeMs) {
    mkdirSync(join(runtime_dir, 'bin'), { recursive: true, mode: 0o755 });
    copyFileSync(process.execPath, `${copy}.partial`);
    renameSync(`${copy}.partial`, copy);
  }
  return copy;
}

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

/** Programs that packs of examples/packs wrap; git's runs it itself, the others name it. */
export const WRAPPED_PROGRAMS = ['git', 'jq', 'sqlite3', 'curl'];

/** Where this machine's distribution has it, or null. */
export const installedProgram = (name) => ['/usr/bin', '/bin'].map((dir) => join(dir, name)).find(existsSync) ?? null;

/** What the demo's operator allows packs to name (SPEC S6): of these programs those that are here. */
export function allowedBins() {
  return WRAPPED_PROGRAMS.flatMap((name) => {
    const path = installedProgram(name);
    return path === null ? [] : [`${name}=${path}`];
  }).join(',');
}

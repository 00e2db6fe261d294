import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const OTHERS_MAY_ENTER = 0o001;

/** The first existing folder at or above `path`. */
function existing(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return existing(dirname(path));
  }
}

/** Whether every folder above `path` lets other users pass: what a program under another user id needs. */
export function reachableByOthers(path: string): boolean {
  let folder = existing(dirname(path));
  for (;;) {
    if ((statSync(folder).mode & OTHERS_MAY_ENTER) === 0) return false;
    if (folder === dirname(folder)) return true;
    folder = dirname(folder);
  }
}

import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

const ENTER_AS_OWNER = 0o100;
const ENTER_AS_OTHER = 0o001;

/**
 * The first folder on the way to `path` (itself included when it is a folder) that `uid`, who is in no group, may not enter;
 * null when there is none. Access lists are not looked at: they can only widen what the mode says for others.
 */
export async function firstClosedFolder(path: string, uid: number): Promise<string | null> {
  const ancestors: string[] = [];
  for (let at = resolve(path); ; at = dirname(at)) {
    ancestors.unshift(at);
    if (at === dirname(at)) break;
  }
  for (const folder of ancestors) {
    const info = await stat(folder);
    if (!info.isDirectory()) continue;
    const bit = info.uid === uid ? ENTER_AS_OWNER : ENTER_AS_OTHER;
    if ((info.mode & bit) === 0) return folder;
  }
  return null;
}

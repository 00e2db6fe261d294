import { chmod, chown, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cgroups } from '../cgroup/port.js';
import { isOrphan } from './label.js';
import { removeTree } from './remove-tree.js';

const KILL_DEADLINE_MS = 3000;
const TRASH = /\.trash$/;

/** A fresh private folder of one run. */
export async function makeEphemeral(parent: string, name: string, uid: number | null): Promise<string> {
  const folder = join(parent, name);
  await mkdir(folder);
  await chmod(folder, 0o700);
  if (uid !== null) await chown(folder, uid, uid);
  return folder;
}

/**
 * Kills and removes what dead workers left, and what this one could not remove at its time (SPEC S3). Answers how many runs
 * had something left. What cannot be removed now is tried again at the next call.
 */
export async function reapOrphans(
  { cgroups, dirs }: { cgroups: Cgroups | null; dirs: { ephemeral: string; runtime: string } },
  leftovers: Set<string>,
): Promise<number> {
  const ours = (name: string): boolean => isOrphan(name) || leftovers.has(name);
  const reaped = new Set<string>();
  for (const name of (await cgroups?.list())?.filter(ours) ?? []) {
    const cgroup = cgroups?.open(name);
    await cgroup?.kill(KILL_DEADLINE_MS);
    await cgroup?.remove().then(
      () => reaped.add(name),
      () => leftovers.add(name),
    );
  }
  for (const entry of await readdir(dirs.ephemeral)) {
    const name = entry.replace(TRASH, '');
    if (!ours(name)) continue;
    await removeTree(join(dirs.ephemeral, name)).then(
      () => reaped.add(name),
      () => leftovers.add(name),
    );
  }
  for (const entry of await readdir(dirs.runtime)) {
    const label = entry.replace(TRASH, '').replace(/^own-/, '');
    if (label !== entry && isOrphan(label)) await removeTree(join(dirs.runtime, `own-${label}`)).catch(() => undefined);
  }
  for (const name of reaped) leftovers.delete(name);
  return reaped.size;
}

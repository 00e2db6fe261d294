import { realpath } from 'node:fs/promises';
import type { Mount } from './container.js';

/** Folders of the distribution, which the image has for itself. */
const OF_IMAGE = /^\/(usr\/(?!local\/|src\/)|bin\/|sbin\/|lib)/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._+-]*$/;

export interface PlannedBins {
  /** Name to path inside. */
  inside: ReadonlyMap<string, string>;
  mounts: readonly Mount[];
  missing: readonly string[];
}

/**
 * Where programs that operators allow lie in a container: those of the distribution at the image's own path (the trial run
 * tells which it has), others are mounted from this machine. `node` is the worker's.
 */
export async function planBins(allowed: Readonly<Record<string, string>>): Promise<PlannedBins> {
  const inside = new Map<string, string>();
  const mounts: Mount[] = [];
  const missing: string[] = [];
  for (const [name, path] of Object.entries(allowed)) {
    if (!NAME.test(name)) missing.push(name);
    else if (name === 'node') inside.set(name, '/usr/local/bin/node');
    else if (OF_IMAGE.test(path)) inside.set(name, path);
    else {
      const source = await realpath(path).catch(() => null);
      if (source === null) missing.push(name);
      else {
        mounts.push({ source, target: `/usr/local/bin/${name}`, writable: false });
        inside.set(name, `/usr/local/bin/${name}`);
      }
    }
  }
  return { inside, mounts, missing };
}

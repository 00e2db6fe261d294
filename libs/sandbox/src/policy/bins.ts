import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { BinOwner } from './environment.js';

export type ResolvedBin = { owner: BinOwner; path: string } | null;

/**
 * Finds the program that a spec names (SPEC S6): an executable regular file inside the pack, links resolved (`path` is then
 * relative to the real pack folder), else a name that the operator allows (`path` is then what `allowed` has for it).
 * Null means not allowlisted.
 */
export async function resolveBin(
  bin: string,
  pack_dir: string,
  allowed: ReadonlyMap<string, string>,
): Promise<ResolvedBin> {
  if (bin === '' || bin.includes('\0') || isAbsolute(bin)) return null;
  const inside = await insidePack(bin, pack_dir);
  if (inside !== null) return { owner: 'pack', path: inside };
  const operator = allowed.get(bin);
  return operator === undefined ? null : { owner: 'operator', path: operator };
}

/** The exact words of SPEC E3. */
export function notAllowlisted(bin: string): string {
  return `sandbox: bin "${bin}" not allowlisted`;
}

async function insidePack(bin: string, pack_dir: string): Promise<string | null> {
  try {
    const root = await realpath(pack_dir);
    const path = await realpath(join(root, bin));
    const inside = relative(root, path);
    if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return null;
    const info = await stat(path);
    return info.isFile() && (info.mode & 0o111) !== 0 ? inside : null;
  } catch {
    return null;
  }
}

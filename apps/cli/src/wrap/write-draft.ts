import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { Failure } from '../failure.js';

export interface DraftFiles {
  /** By name; written with a line end. */
  readonly texts: Readonly<Record<string, string>>;
  /** A program that is copied into the pack: from where, and to which path in it. */
  readonly copy: { readonly from: string; readonly to: string } | null;
}

/** Refuses a folder that holds anything, so that no work is lost. */
export async function refuseFull(dir: string): Promise<void> {
  const found = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new Failure(`${dir} cannot be used (${error.code ?? 'unknown'})`, 'Name another folder with --out.');
  });
  if (found.length === 0) return;
  throw new Failure(
    `${dir} is not empty`,
    'Name another folder with --out, or give --force to replace the files of a draft.',
  );
}

/**
 * Writes the files of a draft; others that are there stay. A link in the folder is replaced and never written through: what
 * lies elsewhere is not the draft's.
 */
export async function writeDraft(dir: string, { texts, copy }: DraftFiles): Promise<void> {
  try {
    await mkdir(dir, { recursive: true });
    if (copy !== null) {
      await put(dir, copy.to, async (part) => {
        await copyFile(copy.from, part, constants.COPYFILE_EXCL);
        await chmod(part, 0o755);
      });
    }
    for (const [name, text] of Object.entries(texts)) {
      await put(dir, name, (part) => writeFile(part, text, { flag: 'wx' }));
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      `${dir} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
      'Name another folder with --out.',
    );
  }
}

/** Made aside and moved into its place, which takes the place of a link too. */
async function put(dir: string, name: string, write: (part: string) => Promise<void>): Promise<void> {
  const to = join(dir, name);
  await mkdir(dirname(to), { recursive: true });
  const inside = relative(await realpath(dir), await realpath(dirname(to)));
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw new Failure(`${dirname(to)} leads out of ${dir}`, 'Take the link away, or name another folder with --out.');
  }
  const part = `${to}.${process.pid}.part`;
  try {
    await write(part);
    await rename(part, to);
  } finally {
    await rm(part, { force: true });
  }
}

import { copyFile, chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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

/** Writes the files of a draft; others that are there stay. */
export async function writeDraft(dir: string, { texts, copy }: DraftFiles): Promise<void> {
  try {
    await mkdir(dir, { recursive: true });
    if (copy !== null) {
      const to = join(dir, copy.to);
      await mkdir(dirname(to), { recursive: true });
      await copyFile(copy.from, to);
      await chmod(to, 0o755);
    }
    for (const [name, text] of Object.entries(texts)) await writeFile(join(dir, name), text);
  } catch (error) {
    throw new Failure(
      `${dir} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
      'Name another folder with --out.',
    );
  }
}

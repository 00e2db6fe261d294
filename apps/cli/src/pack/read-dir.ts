import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_ARCHIVE_ENTRIES } from '@hcp/contracts';
import { Failure, usage } from '../failure.js';

export interface PackFile {
  /** Relative, with `/`. */
  readonly path: string;
  readonly content: Buffer;
  readonly executable: boolean;
}

/**
 * Every file of a pack's folder, sorted by path. Names that begin with a dot (.git, .env) are left out; links and special
 * files are refused, as the API refuses them (SPEC P7).
 */
export async function readPackDir(dir: string): Promise<PackFile[]> {
  const root = await lstat(dir).catch(() => null);
  if (root?.isDirectory() !== true) throw usage(`${dir} is no folder`, 'Name the folder that holds manifest.json.');
  const files: PackFile[] = [];
  const walk = async (prefix: string): Promise<void> => {
    const names = await readdir(join(dir, prefix));
    for (const name of names.filter((each) => !each.startsWith('.')).sort()) {
      const path = prefix === '' ? name : `${prefix}/${name}`;
      const info = await lstat(join(dir, path));
      if (info.isDirectory()) await walk(path);
      else if (info.isFile()) {
        files.push({ path, content: await readFile(join(dir, path)), executable: (info.mode & 0o111) !== 0 });
      } else throw new Failure(`${path} is neither a file nor a folder`, 'Replace links by the files themselves.');
      if (files.length > MAX_ARCHIVE_ENTRIES) {
        throw new Failure(`more than ${MAX_ARCHIVE_ENTRIES} files in ${dir}`, 'Name the folder of the pack alone.');
      }
    }
  };
  await walk('');
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

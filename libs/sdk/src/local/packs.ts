import { lstat, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { HCP_CLI_PACK_ID, type Finding, type Pack } from '@hcp/core';
import type { ArchiveFiles } from '@hcp/pack-files';

/** A pack as it lies in its folder. One with an error in its findings is not run. */
export interface LocalPack {
  readonly dir: string;
  readonly pack: Pack | null;
  readonly findings: readonly Finding[];
}

const MAX_FILES = 2_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Reads the packs of a folder, anew each time: what is decided about is what then runs. A pack that did not change is not
 * checked again and stays the same object.
 */
export class PackFolder {
  readonly #root: string;
  /** By folder and digest. */
  #known = new Map<string, LocalPack>();

  constructor(packs_dir: string) {
    this.#root = resolve(packs_dir);
  }

  async read(): Promise<readonly LocalPack[]> {
    const { checkFiles, packDigest } = await import('@hcp/pack-files');
    const read = new Map<string, LocalPack>();
    for (const dir of await foldersOf(this.#root)) {
      const files = await filesOf(dir);
      if (typeof files === 'string') {
        read.set(dir, { dir, pack: null, findings: [broken(files)] });
        continue;
      }
      const key = `${dir} ${packDigest(files)}`;
      const { pack, findings } = this.#known.get(key) ?? checkFiles(files, { platform: true });
      read.set(key, { dir, pack, findings });
    }
    this.#known = read;
    return withoutDoubles([...read.values()]);
  }
}

/** One pack_id, one pack: of two nobody could tell which one was meant. */
function withoutDoubles(packs: readonly LocalPack[]): LocalPack[] {
  const ids = packs.flatMap(({ pack }) => (pack === null ? [] : [pack.manifest.pack_id]));
  return packs.map((each) => {
    const pack_id = each.pack?.manifest.pack_id;
    const alone = pack_id !== HCP_CLI_PACK_ID && ids.filter((id) => id === pack_id).length < 2;
    return each.pack === null || alone
      ? each
      : { ...each, pack: null, findings: [...each.findings, broken('has the pack_id of another pack')] };
  });
}

const broken = (message: string): Finding => ({ code: 'M093', level: 'error', path: 'manifest.json', message });

/** The folder itself where it is a pack, else those in it that are. */
async function foldersOf(root: string): Promise<string[]> {
  if (await isFile(join(root, 'manifest.json'))) return [root];
  const entries = await readdir(root, { withFileTypes: true });
  const dirs = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
  const packs: string[] = [];
  for (const name of dirs.sort()) {
    if (await isFile(join(root, name, 'manifest.json'))) packs.push(join(root, name));
  }
  return packs;
}

const isFile = async (path: string): Promise<boolean> => (await lstat(path).catch(() => null))?.isFile() ?? false;

/** All files of a pack but hidden ones, or why it cannot be taken. Links could lead anywhere. */
async function filesOf(dir: string): Promise<ArchiveFiles | string> {
  const files: ArchiveFiles = new Map();
  let bytes = 0;
  const walk = async (prefix: string): Promise<string | null> => {
    for (const name of (await readdir(join(dir, prefix))).sort()) {
      if (name.startsWith('.')) continue;
      const path = prefix === '' ? name : `${prefix}/${name}`;
      const info = await lstat(join(dir, path));
      if (info.isDirectory()) {
        const why = await walk(path);
        if (why !== null) return why;
        continue;
      }
      if (!info.isFile()) return 'the folder holds what is neither a file nor a folder';
      bytes += info.size;
      if (bytes > MAX_BYTES || files.size >= MAX_FILES)
        return `the folder is over ${MAX_FILES} files or ${MAX_BYTES} bytes`;
      files.set(path, { content: await readFile(join(dir, path)), executable: (info.mode & 0o111) !== 0 });
    }
    return null;
  };
  return (await walk('')) ?? files;
}

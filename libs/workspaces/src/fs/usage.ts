import { lstat, opendir } from 'node:fs/promises';
import { MAX_DEPTH, type FileLimits } from '../limits.js';
import type { Folder } from './handles.js';

export interface Usage {
  /** Of all files, by their size. */
  readonly bytes: number;
  readonly entries: number;
}

/** What is in a workspace; null as soon as it is over a limit or nested too deeply, however much more there is. */
export async function usageOf(top: Folder, limits: FileLimits): Promise<Usage | null> {
  let bytes = 0;
  let entries = 0;
  const count = async (folder: Folder, depth: number): Promise<boolean> => {
    if (depth > MAX_DEPTH) return false;
    for await (const entry of await opendir(folder.path, { encoding: 'buffer' as BufferEncoding })) {
      entries += 1;
      if (entries > limits.entries) return false;
      const name = entry.name as unknown as Buffer;
      if (entry.isDirectory()) {
        const child = await folder.folder(name);
        if (!(await count(child, depth + 1).finally(() => child.close()))) return false;
        continue;
      }
      const info = await lstat(folder.at(name));
      if (info.isFile()) bytes += info.size;
      if (bytes > limits.total_bytes) return false;
    }
    return true;
  };
  return (await count(top, 1)) ? { bytes, entries } : null;
}

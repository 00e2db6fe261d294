import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readlink, realpath } from 'node:fs/promises';
import { join, normalize, resolve } from 'node:path';
import { INSIDE_WORKSPACE } from './bubblewrap/layout.js';

/** Finds the file that a text names, as the command would; null where it names none. */
export type Locate = (text: string) => Promise<string | null>;

/** The content of each file that one of the texts names, as it stands or as programs tidy it up, by the text. */
export async function hashFiles(texts: Iterable<string>, locate: Locate): Promise<Readonly<Record<string, string>>> {
  const hashes: Record<string, string> = {};
  for (const text of new Set([...texts].flatMap((each) => [each, normalize(each)]))) {
    const path = await locate(text);
    const hash = path === null ? null : await hashOf(path);
    if (hash !== null) hashes[text] = hash;
  }
  return hashes;
}

/** Links on the way to one file, as Linux has it. */
const MAX_LINKS = 40;
/** Places of /proc that are the working directory, and the root, of whoever looks. */
const PROC_DIR = /^proc\/(?:self|thread-self|[0-9]+)(?:\/task\/[0-9]+)?\/(cwd|root)$/;

/**
 * Files of a workspace as a run in the sandbox finds them, whatever way leads there: relative to it, by its absolute path
 * inside, by links in it, which are followed as they would be inside, or by /proc.
 * @param dir the workspace on this host
 */
export function insideWorkspace(dir: string): Locate {
  const inside = partsOf(INSIDE_WORKSPACE);
  const [first = ''] = inside;
  return async (text) => {
    let at = text.startsWith('/') ? [] : [...inside];
    let left = partsOf(text);
    let links = 0;
    for (let part = left.shift(); part !== undefined; part = left.shift()) {
      if (part === '..') {
        at.pop();
        continue;
      }
      at.push(part);
      const proc = PROC_DIR.exec(at.join('/'))?.[1];
      if (proc !== undefined) at = proc === 'cwd' ? [...inside] : [];
      if (at[0] !== first || at.length < 2) continue;
      const path = join(dir, ...at.slice(1));
      const info = await lstat(path).catch(() => null);
      if (info === null) return null;
      if (!info.isSymbolicLink()) continue;
      links += 1;
      const target = links > MAX_LINKS ? null : await readlink(path).catch(() => null);
      if (target === null) return null;
      at = target.startsWith('/') ? [] : at.slice(0, -1);
      left = [...partsOf(target), ...left];
    }
    return at[0] === first && at.length > 1 ? join(dir, ...at.slice(1)) : null;
  };
}

/** Any file of this machine. @param cwd null: what is relative names none */
export function onThisMachine(cwd: string | null): Locate {
  return async (text) =>
    cwd === null && !text.startsWith('/') ? null : realpath(resolve(cwd ?? '/', text)).catch(() => null);
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

/** Null for what is no file. One that cannot be read is bound by that alone. */
async function hashOf(path: string): Promise<string | null> {
  // Never waits: a command may have left a pipe there.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW).catch(() => null);
  if (file === null) return 'unreadable';
  try {
    if (!(await file.stat()).isFile()) return null;
    const hash = createHash('sha256');
    for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
    return `sha256:${hash.digest('hex')}`;
  } finally {
    await file.close();
  }
}

import type { Stats } from 'node:fs';
import { chown, lstat, mkdir, opendir, rename, unlink, type FileHandle } from 'node:fs/promises';
import { MAX_LISTED } from '../limits.js';
import { parseFilePath } from '../paths.js';
import { CLOSED, fileRefusal, NO_FILE, NO_FOLDER, type FileRefusal } from '../refusal.js';
import type { Folder } from './handles.js';
import { codeOf, reopen } from './handles.js';

export type EntryKind = 'file' | 'folder' | 'link' | 'other';

export interface FolderEntry {
  /** What is no UTF-8 in it is shown as U+FFFD. */
  readonly name: string;
  readonly kind: EntryKind;
  /** Bytes, of files; null for the rest. */
  readonly size: number | null;
  readonly modified_at: Date;
  /** False where a program gave it a name that no path of this API can have. */
  readonly addressable: boolean;
}

export interface FolderListing {
  readonly ok: true;
  readonly kind: 'folder';
  readonly entries: readonly FolderEntry[];
  /** There are more than a listing tells. */
  readonly truncated: boolean;
}

export interface OpenedFile {
  readonly ok: true;
  readonly kind: 'file';
  /** Whoever gets it closes it. */
  readonly handle: FileHandle;
  readonly size: number;
  readonly modified_at: Date;
}

/** Walks to the folder that the last of the segments lies in, or to the last one itself. The answer is closed by its user. */
export async function walk(top: Folder, segments: readonly string[]): Promise<Folder | FileRefusal> {
  let at = top;
  for (const name of segments) {
    try {
      const next = await at.folder(name);
      if (at !== top) await at.close();
      at = next;
    } catch (error) {
      if (at !== top) await at.close();
      return refusalOf(error);
    }
  }
  return at;
}

/** A file for reading, or what a folder holds. Never follows a link, never opens a device or a fifo. */
export async function look(parent: Folder, name: string): Promise<OpenedFile | FolderListing | FileRefusal> {
  let pinned: FileHandle;
  try {
    pinned = await parent.pin(name);
  } catch (error) {
    return refusalOf(error);
  }
  try {
    const info = await pinned.stat();
    if (info.isDirectory()) {
      const folder = await parent.folder(name);
      return await list(folder).finally(() => folder.close());
    }
    if (info.isSymbolicLink()) return fileRefusal('conflict', 'there is a link, and links are never followed');
    if (!info.isFile()) return fileRefusal('conflict', 'there is no file but a device, a pipe or a socket');
    return { ok: true, kind: 'file', handle: await reopen(pinned), size: info.size, modified_at: info.mtime };
  } catch (error) {
    return refusalOf(error);
  } finally {
    await pinned.close();
  }
}

export async function list(folder: Folder): Promise<FolderListing> {
  const entries: FolderEntry[] = [];
  let truncated = false;
  // Names as bytes: a program may have used any but `/` and NUL.
  for await (const entry of await opendir(folder.path, { encoding: 'buffer' as BufferEncoding })) {
    if (entries.length === MAX_LISTED) {
      truncated = true;
      break;
    }
    const raw = entry.name as unknown as Buffer;
    const info = await lstat(folder.at(raw)).catch(() => null);
    if (info) entries.push(entryOf(raw, info));
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { ok: true, kind: 'folder', entries, truncated };
}

function entryOf(raw: Buffer, info: Stats): FolderEntry {
  const name = raw.toString('utf8');
  const kind = kindOf(info);
  const parsed = parseFilePath(name);
  const addressable = parsed.ok && parsed.segments.length === 1 && Buffer.from(name).equals(raw);
  return { name, kind, size: kind === 'file' ? info.size : null, modified_at: info.mtime, addressable };
}

function kindOf(info: Stats): EntryKind {
  if (info.isFile()) return 'file';
  if (info.isDirectory()) return 'folder';
  return info.isSymbolicLink() ? 'link' : 'other';
}

/** Who owns what the API puts into the workspace; null: whoever this process is. */
export type Owner = { readonly uid: number; readonly gid: number } | null;

/** As {@link walk}, and makes the folders that are missing, for this owner. */
export async function walkMaking(
  top: Folder,
  segments: readonly string[],
  owner: Owner,
): Promise<Folder | FileRefusal> {
  let at = top;
  for (const name of segments) {
    try {
      const made = await mkdir(at.at(name), { mode: 0o755 }).then(
        () => true,
        (error: unknown) => {
          if (codeOf(error) === 'EEXIST') return false;
          throw error;
        },
      );
      const next = await at.folder(name);
      if (at !== top) await at.close();
      at = next;
      // Through the descriptor, so it is the new folder that gets the owner, whatever its name stands for by now.
      if (made && owner) await chown(next.path, owner.uid, owner.gid);
    } catch (error) {
      if (at !== top) await at.close();
      return refusalOf(error);
    }
  }
  return at;
}

/** Puts a finished file under a name, in one step: readers see the old or the new one. A link there is replaced. */
export async function place(file: string, parent: Folder, name: string): Promise<{ readonly ok: true } | FileRefusal> {
  try {
    await rename(file, parent.at(name));
    return { ok: true };
  } catch (error) {
    if (['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) return IS_FOLDER;
    return refusalOf(error);
  }
}

/** Whether there is something of this name that may be removed so. */
export async function removable(
  parent: Folder,
  name: string,
  recursive: boolean,
): Promise<{ readonly ok: true; readonly folder: boolean } | FileRefusal> {
  try {
    const folder = (await lstat(parent.at(name))).isDirectory();
    if (!folder || recursive || (await isEmpty(parent, name))) return { ok: true, folder };
    return fileRefusal('conflict', 'the folder is not empty; ask for recursive=1 to remove all of it');
  } catch (error) {
    return refusalOf(error);
  }
}

/** Takes what has this name out of the workspace in one step: a folder as a whole, into `trash`. */
export async function takeAway(
  parent: Folder,
  name: string,
  { folder, trash }: { readonly folder: boolean; readonly trash: string },
): Promise<{ readonly ok: true; readonly folder: boolean } | FileRefusal> {
  try {
    await (folder ? rename(parent.at(name), trash) : unlink(parent.at(name)));
    return { ok: true, folder };
  } catch (error) {
    return refusalOf(error);
  }
}

async function isEmpty(parent: Folder, name: string): Promise<boolean> {
  const folder = await parent.folder(name);
  try {
    const entries = await opendir(folder.path);
    return (await entries.read().finally(() => entries.close())) === null;
  } finally {
    await folder.close();
  }
}

export const IS_FOLDER = fileRefusal('conflict', 'there is a folder of that name');

/** What the file system says for what a caller or a program in the workspace did; all else is thrown. */
export function refusalOf(error: unknown): FileRefusal {
  switch (codeOf(error)) {
    case 'ENOENT':
      return NO_FILE;
    case 'ENOTDIR':
    case 'ELOOP':
      return NO_FOLDER;
    case 'EACCES':
    case 'EPERM':
      return CLOSED;
    case 'ENAMETOOLONG':
      return fileRefusal('invalid_path', 'is too long for this volume');
    case 'ENOSPC':
    case 'EDQUOT':
      return fileRefusal('quota_exceeded', 'the volume is full');
    default:
      throw error;
  }
}

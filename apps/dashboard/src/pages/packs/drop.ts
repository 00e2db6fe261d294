import type { PickedFile } from './archive.js';
import { isArchive } from './archive.js';

/** One archive as it is, or the files of a folder that becomes one. */
export type Picked = { readonly archive: File } | { readonly name: string; readonly files: readonly PickedFile[] };

/** More than any pack has: a home folder that was dropped by mistake is not read to its end. */
const MAX_WALKED = 5000;

/** Files of an input: of a folder they carry their paths. */
export function fromInput(list: Iterable<File>): Picked | null {
  const files = [...list];
  const [first] = files;
  if (!first) return null;
  if (files.length === 1 && isLone(first)) return { archive: first };
  const path = (file: File): string => (file.webkitRelativePath === '' ? file.name : file.webkitRelativePath);
  const [folder, ...rest] = path(first).split('/');
  const name = rest.length > 0 && folder !== undefined ? folder : `${String(files.length)} files`;
  return { name, files: files.map((file) => ({ path: path(file), file })) };
}

/** What was let go over the page. Its entries are taken at once: after the event they are gone. */
export async function fromDrop(data: DataTransfer): Promise<Picked | null> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const loose = [...data.files];
  if (!entries.some(({ isDirectory }) => isDirectory)) return fromInput(loose);
  const files: PickedFile[] = [];
  for (const entry of entries) await walk(entry, entry.name, files);
  return { name: entries[0]?.name ?? '', files };
}

/** A single file is sent as it is, whatever it is: the check says what is wrong with it. Only a manifest makes a folder. */
const isLone = (file: File): boolean => isArchive(file.name) || file.webkitRelativePath === '';

async function walk(entry: FileSystemEntry, path: string, files: PickedFile[]): Promise<void> {
  if (files.length > MAX_WALKED || entry.name.startsWith('.')) return;
  if (entry.isFile) {
    const one = entry as FileSystemFileEntry;
    files.push({ path, file: await new Promise<File>((done, failed) => one.file(done, failed)) });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A batch at a time, until an empty one.
    const batch = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (batch.length === 0) return;
    for (const child of batch) await walk(child, `${path}/${child.name}`, files);
  }
}

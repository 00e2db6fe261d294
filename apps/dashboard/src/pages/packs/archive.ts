import { MAX_ARCHIVE_BYTES, MAX_ARCHIVE_ENTRIES, MAX_UNPACKED_BYTES } from '@hcp/contracts';
import type { TarEntry } from 'modern-tar';

/** A file of a folder that was dropped or chosen. */
export interface PickedFile {
  /** Within what was dropped, with `/`. */
  readonly path: string;
  readonly file: Blob;
}

/** What keeps files from being sent at all, in words. */
export class CannotPack extends Error {
  constructor(
    readonly title: string,
    readonly next: string,
  ) {
    super(title);
  }
}

/** Several packs where one was to be: a person chooses. */
export class SeveralPacks extends CannotPack {
  constructor(readonly packs: readonly PackWithin[]) {
    const shown = packs.slice(0, MAX_NAMED).map(({ name }) => name);
    const more = packs.length - shown.length;
    super(
      `This folder holds ${String(packs.length)} packs`,
      `${shown.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}; choose one of them.`,
    );
  }
}

/** One of several packs that were chosen together. */
export interface PackWithin {
  /** Its folder, within what all of them lie in. */
  readonly name: string;
  readonly files: readonly PickedFile[];
}

/** Of the packs of a folder, in a sentence and as buttons. */
const MAX_NAMED = 20;

export const notAPack = (): CannotPack =>
  new CannotPack(
    'This is not a pack: there is no manifest.json at its top',
    'Choose the folder that holds manifest.json, or an archive of what is in that folder. Nothing was installed.',
  );

const MANIFEST = 'manifest.json';
const MIB = 2 ** 20;
export const LIMITS_IN_WORDS = `At most ${String(MAX_ARCHIVE_BYTES / MIB)} MiB packed, ${String(MAX_UNPACKED_BYTES / MIB)} MiB unpacked and ${String(MAX_ARCHIVE_ENTRIES)} files.`;

export const isArchive = (name: string): boolean => /\.(tgz|tar\.gz)$/i.test(name);

/**
 * The files of the pack: those beside the manifest that lies highest, by their paths from there. Names that begin with a dot
 * (.git, .env) stay out, as with `hcpx pack push`. Without a manifest the folder itself is the pack, and the check says so.
 */
export function filesOfPack(picked: readonly PickedFile[]): PickedFile[] {
  const seen = visible(picked);
  const depth = (path: string): number => path.split('/').length;
  const manifests = seen.filter(({ path }) => path.split('/').at(-1) === MANIFEST);
  const [highest] = manifests.sort((a, b) => depth(a.path) - depth(b.path));
  const root = highest ? highest.path.slice(0, -MANIFEST.length) : commonFolder(seen);
  return seen
    .filter(({ path }) => path.startsWith(root))
    .map(({ path, file }) => ({ path: path.slice(root.length), file }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

const visible = (picked: readonly PickedFile[]): PickedFile[] =>
  picked.filter(({ path }) => !path.split('/').some((name) => name === '' || name.startsWith('.')));

/** The packs that lie beside one another; a manifest within a pack is a file of that pack. */
export function packsWithin(picked: readonly PickedFile[]): PackWithin[] {
  const seen = visible(picked);
  const roots = seen
    .filter(({ path }) => path === MANIFEST || path.endsWith(`/${MANIFEST}`))
    .map(({ path }) => path.slice(0, -MANIFEST.length))
    .sort((a, b) => a.length - b.length);
  const top: string[] = [];
  for (const root of roots) if (!top.some((each) => root.startsWith(each))) top.push(root);
  const shared = commonFolders(top);
  return top.sort().map((root) => ({
    name: root.slice(shared.length, -1),
    files: seen.filter(({ path }) => path.startsWith(root)),
  }));
}

/** The folders that all of these lie in, and are not themselves. */
function commonFolders(roots: readonly string[]): string {
  const [first = ''] = roots;
  const names = first.split('/').slice(0, -2);
  while (names.length > 0 && !roots.every((root) => root.startsWith(`${names.join('/')}/`))) names.pop();
  return names.map((name) => `${name}/`).join('');
}

function commonFolder(files: readonly PickedFile[]): string {
  const first = files[0]?.path.split('/')[0];
  return first !== undefined && files.every(({ path }) => path.startsWith(`${first}/`)) ? `${first}/` : '';
}

/** A tar.gz of the files of a pack. @param onFile told of each file that was read */
export async function packFolder(
  picked: readonly PickedFile[],
  onFile: (done: number, of: number) => void,
): Promise<Uint8Array> {
  const packs = packsWithin(picked);
  if (packs.length > 1) throw new SeveralPacks(packs);
  const files = filesOfPack(picked);
  if (files.length === 0) {
    throw new CannotPack('There is no file in it', 'Choose the folder that holds manifest.json.');
  }
  if (packs.length === 0) throw notAPack();
  if (files.length > MAX_ARCHIVE_ENTRIES) {
    throw new CannotPack(
      `It has more than ${String(MAX_ARCHIVE_ENTRIES)} files`,
      'Choose the folder of the pack alone: the one that holds manifest.json.',
    );
  }
  if (files.reduce((sum, { file }) => sum + file.size, 0) > MAX_UNPACKED_BYTES) {
    throw new CannotPack(
      `Its files are over ${String(MAX_UNPACKED_BYTES / MIB)} MiB together`,
      'Leave out what its commands do not need.',
    );
  }
  const { packTar } = await import('modern-tar');
  const entries: TarEntry[] = [];
  const bin = await binOf(files);
  for (const [index, { path, file }] of files.entries()) {
    const body = new Uint8Array(await file.arrayBuffer());
    const mode = path === bin || isProgram(body) ? 0o755 : 0o644;
    entries.push({ header: { name: path, size: body.length, mode, mtime: new Date(0), type: 'file' }, body });
    onFile(index + 1, files.length);
  }
  const tar = new Blob([await packTar(entries)]);
  return tooBig(
    new Uint8Array(await new Response(tar.stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()),
  );
}

/** An archive as it was dropped. */
export async function readArchive(file: Blob): Promise<Uint8Array> {
  if (file.size > MAX_ARCHIVE_BYTES) throw archiveTooBig();
  return new Uint8Array(await file.arrayBuffer());
}

function tooBig(archive: Uint8Array): Uint8Array {
  if (archive.length > MAX_ARCHIVE_BYTES) throw archiveTooBig();
  return archive;
}

const archiveTooBig = (): CannotPack =>
  new CannotPack(
    `The archive is over ${String(MAX_ARCHIVE_BYTES / MIB)} MiB`,
    'Leave out what its commands do not need, such as sources, tests and node_modules. Nothing was sent.',
  );

/** The program that the manifest names: a browser does not say which files may be executed. */
async function binOf(files: readonly PickedFile[]): Promise<string | null> {
  const manifest = files.find(({ path }) => path === 'manifest.json');
  if (!manifest) return null;
  try {
    const { wrap } = JSON.parse(await manifest.file.text()) as { wrap?: { bin?: unknown } };
    return typeof wrap?.bin === 'string' ? wrap.bin.replace(/^\.\//, '') : null;
  } catch {
    // The check says what is wrong with it.
    return null;
  }
}

/** A script with an interpreter, or an ELF file. */
export function isProgram(content: Uint8Array): boolean {
  const starts = (...bytes: number[]): boolean => bytes.every((byte, index) => content[index] === byte);
  return starts(0x23, 0x21) || starts(0x7f, 0x45, 0x4c, 0x46);
}

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { createGzip } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import tar from 'tar-stream';

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else yield path;
  }
}

/**
 * A pack's folder as the tar.gz that the API takes.
 * @param {string} folder
 * @returns {Promise<Buffer>}
 */
export async function packArchive(folder) {
  const pack = tar.pack();
  const archive = buffer(pack.pipe(createGzip()));
  for (const path of files(folder)) {
    const name = relative(folder, path).split(sep).join('/');
    const mode = statSync(path).mode & 0o111 ? 0o755 : 0o644;
    pack.entry({ name, mode, mtime: new Date(0) }, readFileSync(path));
  }
  pack.finalize();
  return archive;
}

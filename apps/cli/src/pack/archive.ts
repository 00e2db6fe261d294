import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { MAX_ARCHIVE_BYTES } from '@hcp/contracts';
import { pack } from 'tar-stream';
import { Failure } from '../failure.js';
import type { PackFile } from './read-dir.js';

/** Byte of the gzip header that names the operating system; 255 is "unknown". */
const GZIP_OS = 9;

/** A tar.gz that depends on the files alone: sorted, no owner, no times, two modes. The same pack is the same bytes. */
export async function archivePack(files: readonly PackFile[]): Promise<Buffer> {
  const tar = pack();
  for (const file of files) {
    tar.entry(
      {
        name: file.path,
        size: file.content.length,
        mode: file.executable ? 0o755 : 0o644,
        mtime: new Date(0),
        uid: 0,
        gid: 0,
        type: 'file',
      },
      file.content,
    );
  }
  tar.finalize();
  const archive = await promisify(gzip)(await buffer(tar), { level: 9 });
  archive[GZIP_OS] = 255;
  if (archive.length > MAX_ARCHIVE_BYTES) {
    throw new Failure('the pack is larger than 10 MiB', 'Leave out what its commands do not need.');
  }
  return archive;
}

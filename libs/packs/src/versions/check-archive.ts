import { checkFiles, type CheckedFiles } from '@hcp/pack-files';
import { readArchive } from '../archive/read-archive.js';
import { packRefusal, type PackRefusal } from './refusal.js';

/**
 * Reads an archive and checks what is in it (SPEC P5). `platform` packs alone may use the mothership family (SPEC P7).
 */
export async function checkArchive(
  tar_gz: Buffer,
  options: { readonly platform: boolean },
): Promise<CheckedFiles | PackRefusal> {
  const read = await readArchive(tar_gz);
  if (!read.ok) return packRefusal('invalid_archive', `${read.entry} ${read.why}`, { entry: read.entry });
  return checkFiles(read.files, options);
}

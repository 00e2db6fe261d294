import { checkFiles, type CheckedFiles } from '@hcp/pack-files';
import { compileApart, type ReadingLimits } from '../openapi/compile-apart.js';
import { readArchive } from '../archive/read-archive.js';
import { packRefusal, type PackRefusal } from './refusal.js';

/**
 * Reads an archive and checks what is in it (SPEC P5). `platform` packs alone may use the mothership family (SPEC P7).
 */
export async function checkArchive(
  tar_gz: Buffer,
  options: { readonly platform: boolean; readonly reading?: ReadingLimits },
): Promise<CheckedFiles | PackRefusal> {
  const read = await readArchive(tar_gz);
  if (!read.ok) return packRefusal('invalid_archive', `${read.entry} ${read.why}`, { entry: read.entry });
  const checked = checkFiles(read.files, options);
  const document = read.files.get('openapi.json');
  if (checked.pack?.manifest.kind !== 'openapi' || !document) return checked;
  const compiled = await compileApart(checked.pack, document.content.toString(), options.reading);
  const findings = [...checked.findings, ...compiled.findings];
  return { ok: true, findings, pack: compiled.surface && { ...checked.pack, surface: compiled.surface } };
}

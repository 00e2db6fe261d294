import { checkPack, type Finding, type Pack, type PackFiles } from '@hcp/core';
import { argsSchemaProblem } from '@hcp/schemas';
import { packDigest } from './digest.js';
import type { ArchiveFiles } from './files.js';

/** The files that the check reads; each is text of at most this size. */
const TEXTS = {
  manifest: 'manifest.json',
  surface: 'surface.json',
  policy: 'policy.json',
  skill: 'SKILL.md',
  openapi: 'openapi.json',
} as const;
const MAX_TEXT_BYTES = 2 ** 20;
/** The documents of large public APIs have several mebibytes. */
const MAX_OPENAPI_BYTES = 8 * 2 ** 20;

export interface CheckedFiles {
  readonly ok: true;
  readonly findings: readonly Finding[];
  /** Null when a finding is an error. */
  readonly pack: Pack | null;
}

/** Checks the files of a pack (SPEC P5): the shared check, and what only a host can tell. */
export function checkFiles(files: ArchiveFiles, options: { readonly platform: boolean }): CheckedFiles {
  const { texts, findings: text_findings } = decodeTexts(files);
  const { pack, findings: pack_findings } = checkPack(
    { ...texts, paths: [...files.keys()] },
    { platform: options.platform, schema_error: argsSchemaProblem },
  );
  const findings = [...text_findings, ...pack_findings, ...(pack ? binFindings(pack, files) : [])];
  const blocked = pack === null || findings.some(({ level }) => level === 'error');
  return { ok: true, findings, pack: blocked ? null : { ...pack, digest: packDigest(files) } };
}

type Texts = { -readonly [Name in keyof typeof TEXTS]?: string };

function decodeTexts(files: ArchiveFiles): { texts: Omit<PackFiles, 'paths'>; findings: Finding[] } {
  const texts: Texts = {};
  const findings: Finding[] = [];
  for (const name of Object.keys(TEXTS) as (keyof typeof TEXTS)[]) {
    const path = TEXTS[name];
    const content = files.get(path)?.content;
    if (!content) continue;
    const most = name === 'openapi' ? MAX_OPENAPI_BYTES : MAX_TEXT_BYTES;
    if (content.length > most) {
      findings.push(error('M090', path, `is over ${most} bytes`, 'Make the file smaller.'));
      continue;
    }
    try {
      texts[name] = new TextDecoder('utf-8', { fatal: true }).decode(content);
    } catch {
      findings.push(error('M091', path, 'is not valid UTF-8', 'Save the file as UTF-8.'));
    }
  }
  return { texts, findings };
}

function binFindings({ manifest }: Pick<Pack, 'manifest'>, files: ArchiveFiles): Finding[] {
  const bin = manifest.wrap?.bin.replace(/^\.\//, '');
  const file = bin === undefined ? undefined : files.get(bin);
  if (!file || file.executable) return [];
  return [error('M092', 'manifest.json#/wrap/bin', 'is not executable in the archive', `chmod +x ${bin}`)];
}

function error(code: string, path: string, message: string, fix?: string): Finding {
  return { code, level: 'error', path, message, ...(fix !== undefined && { fix }) };
}

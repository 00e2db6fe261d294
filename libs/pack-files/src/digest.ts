import { createHash } from 'node:crypto';
import type { ArchiveFiles } from './files.js';

/** `sha256:<hex>`, the form in which digests travel. */
export const DIGEST = /^sha256:([0-9a-f]{64})$/;

/**
 * The identity of a pack's files: SHA-256 over one line for each file in byte order of the paths. Independent of the
 * archive's order, times, owners and compression.
 */
export function packDigest(files: ArchiveFiles): string {
  const hash = createHash('sha256').update('hcp-pack 1\n');
  const sorted = [...files].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const [path, { content, executable }] of sorted) {
    const inner = createHash('sha256').update(content).digest('hex');
    // A path has no newline (an archive refuses one), so two lists never read the same.
    hash.update(`${executable ? 'x' : '-'} ${inner} ${path}\n`);
  }
  return `sha256:${hash.digest('hex')}`;
}

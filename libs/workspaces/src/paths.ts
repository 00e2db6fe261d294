export const FILE_PATH_LIMITS = { bytes: 1024, segment_bytes: 255, segments: 32 } as const;

export type ParsedPath =
  { readonly ok: true; readonly segments: readonly string[] } | { readonly ok: false; readonly why: string };

/**
 * A path in a workspace as names of folders and a file; none for the workspace itself. `raw` is decoded once already.
 * Nothing is mended or resolved here: a path that is not plainly one is refused. The reason never repeats it.
 */
export function parseFilePath(raw: string): ParsedPath {
  if (raw === '') return { ok: true, segments: [] };
  if (/\p{Cs}/u.test(raw)) return refuse('is not valid Unicode');
  // A program on the other side may take it for a separator.
  if (raw.includes('\\')) return refuse('has a backslash');
  if (/\p{Cc}/u.test(raw)) return refuse('has a control character');
  if (bytes(raw) > FILE_PATH_LIMITS.bytes) return refuse(`is over ${FILE_PATH_LIMITS.bytes} bytes`);
  const segments = raw.split('/');
  if (segments.length > FILE_PATH_LIMITS.segments) return refuse(`has more than ${FILE_PATH_LIMITS.segments} parts`);
  for (const segment of segments) {
    if (segment === '') return refuse('has an empty part');
    if (segment === '.' || segment === '..') return refuse('has a "." or ".." part');
    if (bytes(segment) > FILE_PATH_LIMITS.segment_bytes) {
      return refuse(`has a part of over ${FILE_PATH_LIMITS.segment_bytes} bytes`);
    }
  }
  return { ok: true, segments };
}

const refuse = (why: string): ParsedPath => ({ ok: false, why });
const bytes = (text: string): number => Buffer.byteLength(text, 'utf8');

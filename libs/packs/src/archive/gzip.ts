import { crc32 } from 'node:zlib';

/** Flags of RFC 1952. */
const FHCRC = 2;
const FEXTRA = 4;
const FNAME = 8;
const FCOMMENT = 16;
const RESERVED = 0xe0;
const TRAILER_BYTES = 8;

/**
 * Where the deflate data begins, or null when this is no gzip. The member is taken apart by hand because Node's gunzip
 * reads further members silently, and skips what follows them: neither belongs in a pack.
 */
export function deflateStart(gz: Buffer): number | null {
  if (gz.length < 10 + TRAILER_BYTES || gz[0] !== 0x1f || gz[1] !== 0x8b || gz[2] !== 8) return null;
  const flags = gz.readUInt8(3);
  if (flags & RESERVED) return null;
  let at = 10;
  if (flags & FEXTRA) at += 2 + (at + 2 <= gz.length ? gz.readUInt16LE(at) : gz.length);
  for (const flag of [FNAME, FCOMMENT]) {
    if (!(flags & flag)) continue;
    const end = gz.indexOf(0, at);
    if (end < 0) return null;
    at = end + 1;
  }
  if (flags & FHCRC) at += 2;
  return at <= gz.length - TRAILER_BYTES ? at : null;
}

/** Checks what follows the deflate data: exactly one right trailer, nothing else. */
export function trailerProblem(gz: Buffer, deflate_end: number, plain: Buffer): string | null {
  const rest = gz.length - deflate_end;
  if (rest < TRAILER_BYTES) return 'ends too early';
  if (rest > TRAILER_BYTES) return 'has data after the end of its gzip member';
  if (gz.readUInt32LE(deflate_end) !== crc32(plain) || gz.readUInt32LE(deflate_end + 4) !== plain.length % 2 ** 32) {
    return 'has a wrong checksum';
  }
  return null;
}

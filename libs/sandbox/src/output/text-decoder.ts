import { isUtf8 } from 'node:buffer';

/**
 * Bytes to text, chunk by chunk, so that nothing is lost (SPEC E5): valid UTF-8 stays as it is, each byte that is not part
 * of valid UTF-8 becomes `\xNN` (two lower-case hex digits), and NUL becomes `\x00`. A backslash in the output stays one
 * backslash, so the text cannot be turned back into bytes with certainty; it can always be read. Chunk borders change nothing.
 */
export class OutputDecoder {
  /** Up to three bytes that may be the beginning of a character. */
  #pending: Buffer = Buffer.alloc(0);

  /** Text of this chunk; the beginning of a split character waits for the next. */
  write(chunk: Buffer): string {
    const bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const keep = incompleteTail(bytes);
    this.#pending = Buffer.from(bytes.subarray(bytes.length - keep));
    return escape(bytes.subarray(0, bytes.length - keep));
  }

  /** What waited, as escaped bytes: its rest never came. */
  end(): string {
    const rest = this.#pending;
    this.#pending = Buffer.alloc(0);
    return escape(rest);
  }
}

function escape(bytes: Buffer): string {
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString('utf8');
  const parts: string[] = [];
  let start = 0;
  let at = 0;
  while (at < bytes.length) {
    const length = bytes[at] === 0 ? 0 : characterLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    if (at > start) parts.push(bytes.toString('utf8', start, at));
    parts.push(`\\x${bytes.toString('hex', at, at + 1)}`);
    at += 1;
    start = at;
  }
  parts.push(bytes.toString('utf8', start));
  return parts.join('');
}

/** How long a character that begins with this byte is, or 0 where none does (RFC 3629). */
function expectedLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

/** Whether `byte` may stand at `index` of the character that `lead` begins: no overlong forms, surrogates or > U+10FFFF. */
function continues(lead: number, index: number, byte: number): boolean {
  if (index === 1) {
    if (lead === 0xe0) return byte >= 0xa0 && byte <= 0xbf;
    if (lead === 0xed) return byte >= 0x80 && byte <= 0x9f;
    if (lead === 0xf0) return byte >= 0x90 && byte <= 0xbf;
    if (lead === 0xf4) return byte >= 0x80 && byte <= 0x8f;
  }
  return byte >= 0x80 && byte <= 0xbf;
}

/** How many bytes from `at` on are a right beginning of the character there. */
function validPrefix(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0;
  const length = expectedLength(lead);
  let index = 1;
  while (index < length && at + index < bytes.length && continues(lead, index, bytes[at + index] ?? 0)) index += 1;
  return length === 0 ? 0 : index;
}

function characterLength(bytes: Buffer, at: number): number {
  const prefix = validPrefix(bytes, at);
  return prefix === expectedLength(bytes[at] ?? 0) ? prefix : 0;
}

function incompleteTail(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const at = bytes.length - back;
    const length = expectedLength(bytes[at] ?? 0);
    if (length > back && validPrefix(bytes, at) === back) return back;
  }
  return 0;
}

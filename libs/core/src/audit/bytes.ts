/** Bytes and their spellings, without a platform: this code runs in the API, in `hcpx` and in a browser alike. */

/** UTF-8 of well-formed text, as `canonicalJson` writes it. */
export function utf8Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let at = 0;
  for (let index = 0; index < text.length; index += 1) {
    let code = text.charCodeAt(index);
    if (code < 0x80) {
      bytes[at++] = code;
      continue;
    }
    if (code >= 0xd800 && code < 0xdc00 && index + 1 < text.length) {
      index += 1;
      code = 0x10000 + ((code - 0xd800) << 10) + (text.charCodeAt(index) - 0xdc00);
      bytes[at++] = 0xf0 | (code >> 18);
      bytes[at++] = 0x80 | ((code >> 12) & 0x3f);
    } else if (code >= 0x800) {
      bytes[at++] = 0xe0 | (code >> 12);
    } else {
      bytes[at++] = 0xc0 | (code >> 6);
      bytes[at++] = 0x80 | (code & 0x3f);
      continue;
    }
    bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
    bytes[at++] = 0x80 | (code & 0x3f);
  }
  return bytes.slice(0, at);
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Map([...ALPHABET].map((letter, value) => [letter, value]));

/** Standard base 64 with padding (RFC 4648, 4). */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3);
    const word = (a << 16) | (b << 8) | c;
    const letters = Math.min(bytes.length - at, 3) + 1;
    for (let place = 0; place < 4; place += 1) {
      text += place < letters ? ALPHABET.charAt((word >> (18 - 6 * place)) & 63) : '=';
    }
  }
  return text;
}

/** Null for what `toBase64` does not write: one text for the same bytes, so that nobody can vary a signed line. */
export function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null;
  const letters = text.replace(/={1,2}$/, '');
  const bytes = new Uint8Array(Math.floor((letters.length * 3) / 4));
  let word = 0;
  let bits = 0;
  let at = 0;
  for (const letter of letters) {
    const value = VALUES.get(letter);
    if (value === undefined) return null;
    word = ((word << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = (word >> bits) & 0xff;
  }
  return toBase64(bytes) === text ? bytes : null;
}

/** Not in constant time: nothing compared here is a secret. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);

export function joinBytes(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputDecoder } from './text-decoder.js';

function decode(chunks: Uint8Array[]): string {
  const decoder = new OutputDecoder();
  return chunks.map((chunk) => decoder.write(Buffer.from(chunk))).join('') + decoder.end();
}

function split(bytes: Uint8Array, cuts: number[]): Uint8Array[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => bytes.slice(from, at[index] ?? bytes.length));
}

/** Bytes that meet in the awkward places: leads, continuations, NUL and plain text. */
const awkward = fc.array(
  fc.oneof(
    fc.constantFrom(
      0,
      0x41,
      0x5c,
      0x80,
      0xbf,
      0xc0,
      0xc2,
      0xe0,
      0xa0,
      0xe2,
      0x82,
      0xac,
      0xed,
      0x9f,
      0xf0,
      0x90,
      0xf4,
      0x8f,
      0xff,
    ),
    fc.nat(255),
  ),
  { maxLength: 40 },
);

describe('OutputDecoder', () => {
  it('gives the same text for any chunking', () => {
    fc.assert(
      fc.property(awkward, fc.array(fc.nat(60), { maxLength: 12 }), (bytes, cuts) => {
        const whole = Uint8Array.from(bytes);
        expect(decode(split(whole, cuts))).toBe(decode([whole]));
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves valid UTF-8 without NUL as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat(60)), (text, cuts) => {
        fc.pre(text.isWellFormed() && !text.includes('\0'));
        expect(decode(split(new TextEncoder().encode(text), cuts))).toBe(text);
      }),
    );
  });

  it('agrees with the platform on what is valid', () => {
    fc.assert(
      fc.property(awkward, (bytes) => {
        const raw = Uint8Array.from(bytes.filter((byte) => byte !== 0 && byte !== 0x5c));
        const platform = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
        let valid = true;
        try {
          platform.decode(raw);
        } catch {
          valid = false;
        }
        expect(decode([raw]).includes('\\x')).toBe(!valid);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    [[0x61, 0, 0x62], 'a\\x00b'],
    [[0xff, 0xe2, 0x82], '\\xff\\xe2\\x82'],
    [[0xe2, 0x82, 0xac], '€'],
    [[0xed, 0xa0, 0x80], '\\xed\\xa0\\x80'],
    [[0xc0, 0x80], '\\xc0\\x80'],
    [[0xf4, 0x90, 0x80, 0x80], '\\xf4\\x90\\x80\\x80'],
    [[0xef, 0xbb, 0xbf, 0x61], '\ufeffa'],
  ])('turns %j into %j', (bytes, text) => {
    expect(decode([Uint8Array.from(bytes)])).toBe(text);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  escapeInvisible,
  isPlainDecimal,
  isWellFormed,
  numberRoundTrips,
  parseStrictJson,
  utf8Length,
} from '../index.js';

describe('unicode', () => {
  it('counts the bytes that an encoder writes', () => {
    const encoder = new TextEncoder();
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => utf8Length(text) === encoder.encode(text).length));
    expect(utf8Length('\ud800a')).toBe(encoder.encode('\ud800a').length);
  });

  it('knows lone surrogates', () => {
    expect(['', 'a', '😀', '\ud83d\ude00'].every(isWellFormed)).toBe(true);
    expect(['\ud800', 'a\udc00', '\udc00\ud800', '\ud800\ud800\udc00'].some(isWellFormed)).toBe(false);
  });

  it('escapes what cannot be seen and leaves the rest', () => {
    expect(escapeInvisible('Grüße, 日本 😀')).toBe('Grüße, 日本 😀');
    expect(escapeInvisible('a\tb\r\n\u0000\u001b[1m')).toBe('a\\tb\\r\\n\\u0000\\u001b[1m');
    expect(escapeInvisible('\u202e\u2066\u200b\ufeff\u{e0041}\ud800')).toBe(
      '\\u202e\\u2066\\u200b\\ufeff\\u{e0041}\\ud800',
    );
  });
});

describe('decimals', () => {
  it.each([
    '0',
    '10',
    '2.80',
    '-5',
    '0.1',
    '1e3',
    '1E+30',
    '100000000000000000000000',
    '0.000001',
    '-0.5',
    '9007199254740992',
    '5e-324',
  ])('%s round-trips', (text) => {
    expect(numberRoundTrips(text)).toBe(true);
  });
  it.each(['9007199254740993', '1e400', '-0', '0.10000000000000000001', '1e-400', 'x', '', '0x10', ' 1'])(
    '%s does not',
    (text) => {
      expect(numberRoundTrips(text)).toBe(false);
    },
  );
  it('takes every number that JSON writes', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (value) => Object.is(value, -0) || numberRoundTrips(JSON.stringify(value)),
      ),
    );
  });
  it('is fast on long runs of zeros', () => {
    expect(numberRoundTrips(`1${'0'.repeat(300)}1${'0'.repeat(200_000)}`)).toBe(false);
  });
  it('knows a plain decimal', () => {
    expect(['0', '-1', '2.80'].every(isPlainDecimal)).toBe(true);
    expect(['', '+1', '1e3', '0x1', '01', '.5', '1.', ' 1', '1 ', 'Infinity', '1\n'].some(isPlainDecimal)).toBe(false);
  });
});

describe('parseStrictJson', () => {
  it.each<[string, string, string]>([
    ['', '', 'is not JSON'],
    ['{"a":1,}', '', 'is not JSON'],
    ['{"a":1}{}', '', 'is not JSON'],
    ['{"a":1,"a":1}', 'a', 'is there twice'],
    ['{"x":[{"a":1},{"b":{"a":1,"\\u0061":2}}]}', 'x.1.b.a', 'is there twice'],
    ['{"a":[1,2,9007199254740993]}', 'a.2', 'is a number that does not round-trip'],
    ['[[[1]]]', '0.0', 'is nested deeper than 2 levels'],
    ['[[[', '0.0', 'is nested deeper than 2 levels'],
  ])('refuses %s', (text, path, why) => {
    expect(parseStrictJson(text, { max_depth: why.startsWith('is nested') ? 2 : 64 })).toEqual({
      ok: false,
      path,
      why,
    });
  });

  it('takes equal keys of different objects, and braces in texts', () => {
    const text = '{"a":{"b":1},"c":{"b":"{\\"b\\":[,:"},"d":[{"b":1},{"b":2}]}';
    expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) as unknown });
    expect(parseStrictJson('9007199254740993', { exact_numbers: false }).ok).toBe(true);
    expect(parseStrictJson(JSON.stringify('\\"'.repeat(1_000_000))).ok).toBe(true);
  });

  it('agrees with JSON.parse on what JSON.stringify writes, and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value, null, 1);
        expect(parseStrictJson(text)).toEqual({ ok: true, value: JSON.parse(text) as unknown });
      }),
    );
    const piece = fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"', '\\', '1', '-', ' ', 'null');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const text = pieces.join('');
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(parseStrictJson(text, { exact_numbers: false }).ok && !valid).toBe(false);
      }),
    );
  });
});

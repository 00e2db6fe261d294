import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../index.js';

describe('canonicalJson', () => {
  it('writes the example of RFC 8785, 3.2.2', () => {
    const input = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    ) as unknown;
    expect(canonicalJson(input)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts keys by UTF-16 code units, as RFC 8785, 3.2.3 shows', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const sorted = Object.keys(JSON.parse(canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])))) as object);
    // "1" is an integer key, which objects put first; it is second in the text.
    expect(sorted).toEqual(['1', '\r', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33']);
    expect(canonicalJson({ '\r': 1, '1': 2 })).toBe('{"\\r":1,"1":2}');
  });

  it.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['Infinity', [Number.POSITIVE_INFINITY]],
    ['a lone surrogate', { a: '\ud800' }],
    ['a lone surrogate as key', { '\udc00': 1 }],
    ['undefined', undefined],
    ['undefined in an array', [undefined]],
    ['a hole', new Array(1)],
    ['a bigint', 1n],
    ['a function', { a: () => 1 }],
    ['a date', new Date(0)],
    ['a map', new Map()],
  ])('refuses %s', (_, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it('refuses a cycle, and takes one object twice', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(() => canonicalJson(cycle)).toThrow(TypeError);
    const shared = { a: 1 };
    expect(canonicalJson([shared, shared])).toBe('[{"a":1},{"a":1}]');
  });

  it('writes -0 as 0, leaves undefined members out, keeps __proto__ as a key', () => {
    expect(canonicalJson({ b: -0, a: undefined })).toBe('{"b":0}');
    expect(canonicalJson(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}');
  });

  it('does not depend on the order of keys, reads back the same, and differs for different values', () => {
    const value = fc.jsonValue();
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(object));
      }),
    );
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(JSON.parse(canonicalJson(a))).toEqual(JSON.parse(JSON.stringify(a)));
        const same = canonicalJson(a) === canonicalJson(b);
        expect(same).toBe(canonicalJson(JSON.parse(canonicalJson(a))) === canonicalJson(JSON.parse(canonicalJson(b))));
      }),
    );
  });
});

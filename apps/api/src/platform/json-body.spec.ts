import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_JSON_BYTES, parseJsonBody } from './json-body.js';
import { MAX_JSON_DEPTH } from './json-scan.js';

const parse = (text: string | Buffer) => parseJsonBody(Buffer.from(text as string));
const refusal = (text: string | Buffer) => {
  const parsed = parse(text);
  if (parsed.ok) throw new Error('was taken');
  return parsed.error;
};

describe('parseJsonBody', () => {
  it('gives what JSON.parse gives for honest bodies', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5, noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        // -0 and inexact spellings cannot come out of JSON.stringify but for large integers.
        fc.pre(!/[0-9]{16}/.test(text) && !/"(?:__proto__|constructor|prototype)"/.test(text));
        expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) as unknown });
      }),
    );
  });

  it('takes an empty body for none', () => {
    expect(parse('')).toEqual({ ok: true, value: undefined });
  });

  it.each([
    ['{"a":1,"a":2}', 'a is there twice', '/a'],
    ['{"a":1,"a":1}', 'a is there twice', '/a'],
    ['{"a":{"b":[0,{"c":1,"c":1}]}}', 'a.b.1.c is there twice', '/a/b/1/c'],
    ['{"a":1,"\\u0061":1}', 'a is there twice', '/a'],
    ['{"a/b":1,"a/b":1}', 'a/b is there twice', '/a~1b'],
  ])('refuses duplicate keys: %s', (text, message, pointer) => {
    expect(refusal(text)).toMatchObject({ message, pointer, status: 400 });
  });

  it('takes the same key in different objects, and keys that are values elsewhere', () => {
    expect(parse('{"a":{"k":1},"b":{"k":1},"c":["k","k","a"]}')).toMatchObject({ ok: true });
  });

  it.each(['{"__proto__":{}}', '{"a":{"\\u005f_proto__":1}}', '{"constructor":{"prototype":{}}}', '[{"prototype":1}]'])(
    'refuses keys that pollute prototypes: %s',
    (text) => {
      expect(refusal(text).why).toBe('is a key that is not allowed');
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    },
  );

  it.each(['9007199254740993', '1e400', '0.1234567890123456789', '-0', '1e-400'])(
    'refuses a number that does not round-trip: %s',
    (number) => {
      const error = refusal(`{"args":{"amount":${number}}}`);
      expect(error.field).toBe('args.amount');
      expect(error.message).not.toContain(number);
    },
  );

  it.each(['0', '-1', '2.80', '1e3', '1.5e-7', '9007199254740991'])('takes the number %s', (number) => {
    expect(parse(`[${number}]`)).toEqual({ ok: true, value: [Number(number)] });
  });

  it('takes nesting up to the limit and no deeper, without recursion', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parse(nested(MAX_JSON_DEPTH)).ok).toBe(true);
    expect(refusal(nested(MAX_JSON_DEPTH + 1)).why).toContain('nested deeper');
    expect(refusal(nested(400_000)).why).toContain('nested deeper');
  });

  it('refuses what is too large, no UTF-8, marked, or no JSON', () => {
    expect(refusal(`"${'x'.repeat(MAX_JSON_BYTES)}"`)).toMatchObject({ status: 413, field: 'body' });
    expect(refusal(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({ message: 'body is not valid UTF-8' });
    expect(refusal('\uFEFF{}')).toMatchObject({ message: 'body begins with a byte order mark' });
    expect(refusal('{"secret":"hunter2",}')).toMatchObject({ message: 'body is not valid JSON' });
    expect(refusal('{} {}').message).toBe('body is not valid JSON');
  });

  it('shows names in full only where that is short, and escapes what cannot be seen', () => {
    const long = 'k'.repeat(5000);
    expect(refusal(`{"${long}":1,"${long}":1}`).message.length).toBeLessThan(400);
    expect(refusal('{"a\\u202eb":1,"a\\u202eb":1}').field).not.toContain('\u202e');
  });

  it('finds any duplicate wherever it is', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 6 }), (keys) => {
        const text = `{"in":[{${keys.map((key) => `"${key}":null`).join(',')}}]}`;
        expect(parse(text).ok).toBe(new Set(keys).size === keys.length);
      }),
    );
  });
});

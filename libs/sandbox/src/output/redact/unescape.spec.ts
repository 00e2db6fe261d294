import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Unescape } from './unescape.js';

/** The characters it reads, each with the text that it is written with. */
function read(text: string): [string, string][] {
  const unescape = new Unescape();
  const seen: [string, string][] = [];
  const emit = (code: number, first: number, last: number) =>
    seen.push([String.fromCharCode(code), text.slice(first, last + 1)]);
  for (let at = 0; at < text.length; at += 1) unescape.feed(text.charCodeAt(at), at, emit);
  unescape.end(emit);
  return seen;
}
const word = (text: string): string =>
  read(text)
    .map(([char]) => char)
    .join('');

describe('Unescape', () => {
  it.each([
    ['%41b%2fc', 'Ab/c'],
    ['\\u0041\\x42C', 'ABC'],
    ['a\\nb\\tc', 'a b c'],
    ['a&amp;b&#65;&#x42;c', 'a bABc'],
    ['%2541%252541', 'AA'],
    ['\\\\u0041', '\\A'],
    ['100% of a&b=c; \\q \\', '100% of a&b=c; \\q \\'],
    ['%4 %zz %', '%4 %zz %'],
    ['&&amp;&#;&#x;', '& &#;&#x;'],
    ['%25zz', '%zz'],
  ])('reads %j as %j', (text, expected) => expect(word(text)).toBe(expected));

  it('accounts for every character once and in order', () => {
    const awkward = fc.constantFrom('%', '4', '1', '\\', 'u', 'x', '0', 'n', '&', '#', ';', 'amp', 'lt', ' ', 'é');
    fc.assert(
      fc.property(fc.array(awkward, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        expect(
          read(text)
            .map(([, written]) => written)
            .join(''),
        ).toBe(text);
      }),
    );
  });
});

import { MIN_SECRET_LENGTH, secretLength } from '@hcp/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redactor, REDACTED, Secrets } from './redactor.js';

function redact(secrets: string[], ...chunks: string[]): string {
  const redactor = new Redactor(new Secrets(secrets));
  return chunks.map((chunk) => redactor.write(chunk)).join('') + redactor.end();
}

const TOKEN = `tok-7f3Kq+9/Zx"b&c<d> é%_'(w)!~*L2pR8sVt`;
const b64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a secret', () => {
  it.each<[string, string]>([
    ['itself', TOKEN],
    ['in JSON', JSON.stringify({ t: TOKEN })],
    ['in JSON of JSON', JSON.stringify(JSON.stringify(TOKEN))],
    ['in ASCII JSON', JSON.stringify(TOKEN).replace('é', '\\u00e9')],
    ['in JSON for HTML', JSON.stringify(TOKEN).replace('<', '\\u003c').replace('>', '\\u003E').replace('&', '\\u0026')],
    ['in a URL', `x?t=${encodeURIComponent(TOKEN)}&u=1`],
    ['in a form', new URLSearchParams({ t: TOKEN }).toString()],
    ['in HTML', TOKEN.replace('&', '&amp;').replace('"', '&quot;').replace('<', '&lt;').replace('>', '&gt;')],
    ['in base64', b64(TOKEN)],
    ['in base64 after one byte', b64(`x${TOKEN}y`)],
    ['in base64 after two bytes', b64(`xy${TOKEN}`)],
    ['in base64 for URLs', Buffer.from(`u:${TOKEN}`).toString('base64url')],
    ['in base64 in a URL', encodeURIComponent(b64(TOKEN))],
    ['in base64 of lines', b64(TOKEN.repeat(3)).replace(/.{40}/g, '$&\n')],
    ['in hexadecimal', Buffer.from(TOKEN).toString('hex')],
    [
      'in hexadecimal, upper case, with colons',
      (Buffer.from(TOKEN).toString('hex').toUpperCase().match(/../g) ?? []).join(':'),
    ],
    [
      'with every byte escaped for a URL',
      (Buffer.from(TOKEN).toString('hex').match(/../g) ?? []).map((hex) => `%${hex}`).join(''),
    ],
    ['a character a line', [...TOKEN].join('\n')],
    ['a character a line, indented', [...TOKEN].join('\r\n    ')],
    ['in pieces of a list', JSON.stringify(TOKEN.match(/.{1,7}/gs))],
    ['in lines within JSON', JSON.stringify(`${TOKEN.slice(0, 14)}\n${TOKEN.slice(14)}`)],
    ['as the t of a Windows path', `C:\\${TOKEN}`],
    ['escaped for a URL twice', encodeURIComponent(encodeURIComponent(TOKEN))],
    [
      'with every other character escaped',
      [...TOKEN].map((c, at) => (at % 2 ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)).join(''),
    ],
    [
      'with some characters escaped for a URL',
      [...TOKEN]
        .map((c, at) =>
          at % 3 ? c : encodeURIComponent(c).replace(/^[^%]$/, (p) => `%${p.charCodeAt(0).toString(16)}`),
        )
        .join(''),
    ],
    ['in HTML with numbers', [...TOKEN].map((c, at) => (at % 2 ? c : `&#${String(c.charCodeAt(0))};`)).join('')],
  ])('is hidden %s', (_, text) => {
    const shown = redact([TOKEN], `before ${text} after`);
    expect(shown).toContain(REDACTED);
    for (let at = 0; at + 10 <= text.length; at += 1) expect(shown).not.toContain(text.slice(at, at + 10));
    expect(shown).toMatch(/^before .* after$/s);
  });

  it('is hidden in any chunks, and what is around it is untouched', () => {
    const secret = fc
      .string({ unit: 'grapheme-ascii', minLength: 6, maxLength: 40 })
      .filter((text) => secretLength(text) >= MIN_SECRET_LENGTH);
    const around = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '\n', '-', '"', '\\'), maxLength: 12 });
    fc.assert(
      fc.property(secret, around, around, fc.array(fc.nat(80), { maxLength: 8 }), (token, left, right, cuts) => {
        const text = `${left}\u0001${token}\u0001${right}`;
        const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
        const chunks = [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
        const shown = redact([token], ...chunks);
        expect(shown).toBe(redact([token], text));
        expect(shown).toContain(REDACTED);
        expect(shown).not.toContain(token);
      }),
      { numRuns: 500 },
    );
  });

  it('is hidden in any spelling, and at no time has gone out what the whole text does not begin with', () => {
    const spelled = fc.constantFrom<(text: string) => string>(
      (text) => text,
      b64,
      (text) => Buffer.from(text).toString('base64url'),
      (text) => Buffer.from(text).toString('hex'),
      encodeURIComponent,
      (text) => JSON.stringify(JSON.stringify(text)),
      (text) => text.replace(/[^A-Za-z0-9]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
      (text) => [...text].join('\n'),
    );
    // With enough letters and digits that it is found in whatever escape.
    const secret = fc
      .stringMatching(/^[A-Za-z0-9+/"&<_~-]{16,40}$/)
      .filter((text) => text.replace(/[^A-Za-z0-9]/g, '').length >= 12);
    const around = fc.string({
      unit: fc.constantFrom('a', '1', ' ', '\n', '%', '\\', '&', '"', 'é', '😀'),
      maxLength: 12,
    });
    const cuts = fc.array(fc.nat(400), { maxLength: 12 });
    fc.assert(
      fc.property(secret, spelled, around, around, cuts, (token, spell, left, right, at) => {
        const text = `${left}\u0001${spell(token)}\u0001${right}`;
        const whole = redact([token], text);
        expect(whole).toContain(REDACTED);
        const redactor = new Redactor(new Secrets([token]));
        const places = [...new Set(at.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
        let out = '';
        for (const [index, from] of [0, ...places].entries()) {
          out += redactor.write(text.slice(from, places[index] ?? text.length));
          expect(whole.startsWith(out)).toBe(true);
        }
        expect(out + redactor.end()).toBe(whole);
      }),
      { numRuns: 500 },
    );
  });

  it('is hidden in base64 at any offset', () => {
    const secret = fc.stringMatching(/^[!-~]{8,40}$/);
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (token, left, right) => {
        fc.pre(left.isWellFormed() && right.isWellFormed());
        expect(redact([token], b64(left + token + right))).toContain(REDACTED);
      }),
    );
  });

  it('is hidden though its end was cut off, and wherever a large piece of it is', () => {
    const token = 'abcdefgh-12345678-ijklmnop-87654321';
    expect(redact([token], `x ${token.slice(0, 20)}`)).toBe(`x ${REDACTED}`);
    expect(redact([token], `1: ${token.slice(0, 18)}\n2: ${token.slice(18)}\n`)).toBe(
      `1: ${REDACTED}-\n2: ${REDACTED}\n`,
    );
  });

  it('is hidden as one where its spellings overlap, and each time it comes', () => {
    expect(redact(['hunter2hunter2'], 'a hunter2hunter2hunter2 b')).toBe(`a ${REDACTED} b`);
    expect(redact(['password-one-1', 'one-1-and-more'], 'password-one-1-and-more')).toBe(REDACTED);
    expect(redact(['s3cret'], 's3cret s3cret')).toBe(`${REDACTED} ${REDACTED}`);
  });

  it('leaves JSON what it is', () => {
    const shown = redact([TOKEN], JSON.stringify({ token: TOKEN, nested: [`Bearer ${TOKEN}`], n: 1 }));
    expect(JSON.parse(shown)).toMatchObject({ nested: [expect.stringContaining('Bearer ')], n: 1 });
  });
});

describe('other text', () => {
  const log = 'a.b-c 12 to be or not: {"n": 17, "list": ["a", "b"]}\n'.repeat(20);

  it('stays whole beside short pieces of a secret', () => {
    expect(redact(['a-b-12-17-to-be-or-not-12'], log)).toBe(log);
    expect(redact(['a', 'or', '', '12', '-----', 'be'], log)).toBe(log);
    expect(redact(['correct horse battery staple'], 'a correct horse eats')).toBe('a correct horse eats');
  });

  it('stays whole without secrets', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void expect(redact([], text)).toBe(text)));
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        (text) => void expect(redact(['\u{10ffff}secret-x'], text)).toBe(text),
      ),
    );
  });

  it('goes on at once but for what may still become a secret', () => {
    const redactor = new Redactor(new Secrets(['xyz-secret-token']));
    expect(redactor.write('line one\nline two')).toBe('line one\nline two');
    expect(redactor.write(' and xyz-sec')).toBe(' and ');
    expect(redactor.write('ond\n')).toBe('xyz-second\n');
    expect(redactor.end()).toBe('');
  });

  it('does not wait for ever behind a beginning', () => {
    const redactor = new Redactor(new Secrets(['xyz-secret-token']));
    expect(redactor.write(`xyz${' '.repeat(100)}`)).toHaveLength(103);
  });
});

it('hides a long secret, and many of them, in one pass over much text', () => {
  const long = Array.from({ length: 400 }, (_, index) => `k${(index * 7919).toString(36)}`).join('.');
  const text = `${'x'.repeat(200_000)}${long}${'y'.repeat(200_000)}`;
  const chunks = text.match(/.{1,1000}/gs) ?? [];
  expect(redact([long], ...chunks)).toBe(`${'x'.repeat(200_000)}${REDACTED}${'y'.repeat(200_000)}`);
});

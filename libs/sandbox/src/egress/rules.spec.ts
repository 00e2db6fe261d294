import { NETWORK_HOST } from '@hcp/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EgressRules } from './rules.js';

function rules(...declared: string[]): EgressRules {
  const parsed = EgressRules.parse(declared);
  if (typeof parsed === 'number') throw new Error(`entry ${parsed} is bad`);
  return parsed;
}

describe('EgressRules', () => {
  it('reads whatever a manifest may declare, and a manifest nothing else', () => {
    const part = fc.constantFrom(
      'a',
      'b-c',
      '*',
      '0',
      '7',
      '0x7f',
      '_x',
      '',
      '-',
      'A',
      '127',
      'com',
      ':80',
      ':0',
      'é',
      ' ',
    );
    const text = fc.oneof(
      fc.array(part, { maxLength: 5 }).map((parts) => parts.join('.').replace('.:', ':')),
      fc.domain(),
    );
    fc.assert(
      fc.property(
        text,
        (entry) =>
          NETWORK_HOST.test(entry) === (typeof EgressRules.parse([entry]) !== 'number' && !/[.](:|$)/.test(entry)),
      ),
      { numRuns: 5000 },
    );
  });

  it('allows a declared name on the ports of the web, or on the one that is declared', () => {
    expect(rules('api.example.com').allows('api.example.com', 80)).toBe(true);
    expect(rules('API.Example.com.').allows('api.example.com', 443)).toBe(true);
    expect(rules('api.example.com').allows('api.example.com', 8443)).toBe(false);
    expect(rules('api.example.com:8443').allows('api.example.com', 8443)).toBe(true);
    expect(rules('api.example.com:8443').allows('api.example.com', 443)).toBe(false);
    expect(rules('api.example.com:8443', 'api.example.com').allows('api.example.com', 443)).toBe(true);
    expect(rules('localhost:80').allows('localhost', 80)).toBe(true);
    expect(rules().allows('api.example.com', 443)).toBe(false);
  });

  it.each([
    'example.com',
    'notapi.example.com',
    'api.example.com.evil.net',
    'evil-api.example.com',
    'api.example.co',
    'xapi.example.com',
  ])('takes %s for another name than api.example.com', (name) => {
    expect(rules('api.example.com').allows(name, 443)).toBe(false);
  });

  it('allows below a wildcard, at any depth, and not beside it', () => {
    const wild = rules('*.example.com');
    expect(wild.allows('a.example.com', 443)).toBe(true);
    expect(wild.allows('a.b.example.com', 443)).toBe(true);
    for (const name of ['example.com', 'aexample.com', 'a.example.com.evil.net', 'example.com.']) {
      expect(wild.allows(name, 443)).toBe(false);
    }
  });

  it.each([
    ...['', '*', '*.', '*.com', '*.*.example.com', 'a.*.example.com', '*example.com', '**.example.com', '.example.com'],
    ...['127.0.0.1', '10.0.0.1:80', '[::1]', '::1', '0x7f.1', '2130706433', '*.0.0.1', '1.2.3.0x4'],
    ...[
      'https://example.com',
      'example.com/',
      'user@example.com',
      'example.com:',
      'example.com:0',
      'example.com:65536',
      'a b',
    ],
  ])('cannot read %j', (entry) => {
    expect(EgressRules.parse(['ok.example.com', entry])).toBe(1);
  });

  it('allows nothing that does not end as a declared name does', () => {
    const name = fc.domain();
    fc.assert(
      fc.property(name, name, fc.boolean(), (declared, asked, wild) => {
        const entry = wild ? `*.${declared}` : declared;
        const allowed = rules(entry).allows(asked.toLowerCase(), 443);
        const ends = `.${asked}`.toLowerCase().endsWith(`.${declared}`.toLowerCase());
        return !allowed || ends;
      }),
    );
  });
});

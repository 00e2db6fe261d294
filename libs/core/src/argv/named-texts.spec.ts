import { expect, it } from 'vitest';
import { makePack, READ } from '../../spec/fixtures.js';
import { namedTexts } from './named-texts.js';

const named = (cli: string[], args: Record<string, unknown>) =>
  namedTexts({
    pack: makePack({ commands: { go: { description: 'Goes.', cli } }, rows: { go: READ } }),
    verb_key: 'go',
    args,
  });

it.each<[string, string[], Record<string, unknown>]>([
  ['an argument', ['t', '{{a}}'], { a: 'bill.json' }],
  ['behind @', ['t', '{{a}}'], { a: '@bill.json' }],
  ['of a form', ['t', '{{a}}'], { a: 'file=@bill.json' }],
  ['in a list', ['t', '{{a}}'], { a: ['x', 'bill.json'] }],
  ['deep in an argument', ['t', '{{a}}'], { a: { b: [{ c: 'bill.json' }] } }],
  ['put together by the pack', ['t', '{{a}}.json'], { a: 'bill' }],
  ['joined to a long flag', ['t', '--in={{a}}.json'], { a: 'bill' }],
  ['joined to a short flag', ['t', '-f{{a}}.json'], { a: 'bill' }],
  ['one of several in a text', ['t', '{{a}}'], { a: 'x,bill.json:ro' }],
  ['written by the pack alone', ['t', 'bill.json', '{{a}}'], { a: 'x' }],
])('a file may be named %s', (_, cli, args) => {
  expect([...named(cli, args)]).toContain('bill.json');
});

it('what cannot be a name is none', () => {
  const texts = named(['t', '{{a}}', '{{b}}'], { a: 'x'.repeat(5000), b: '' });
  for (const text of texts) expect(text.length).toBeGreaterThan(0);
  expect([...texts].some((text) => text.startsWith('xx'))).toBe(false);
});

import { expect, it } from 'vitest';
import { withoutLauncher } from './launcher-words.js';

function heard(words: readonly string[], ...said: ['stdout' | 'stderr', string][]): string[] {
  const list: string[] = [];
  const onOutput = withoutLauncher(words, (stream, text) => list.push(`${stream} ${text}`));
  for (const [stream, text] of said) onOutput(stream, text);
  return list;
}

it('lets a program’s output go on, and waits only while it may be a launcher that speaks', () => {
  expect(
    heard(['bwrap: '], ['stdout', 'bwrap: no'], ['stderr', 'bw'], ['stderr', 'ay'], ['stderr', 'bwrap: x']),
  ).toEqual(['stdout bwrap: no', 'stderr bway', 'stderr bwrap: x']);
  expect(heard([], ['stderr', 'at once'])).toEqual(['stderr at once']);
});

it('keeps to itself what a launcher says, however it is cut, and what comes behind it', () => {
  expect(heard(['bwrap: '], ['stderr', 'bw'], ['stderr', 'rap: execvp'], ['stderr', 'more'])).toEqual([]);
});

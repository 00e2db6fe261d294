import type { RunOptions } from '../port.js';

type OnOutput = NonNullable<RunOptions['onOutput']>;

/**
 * Lets output go on as it comes, but nothing of what a launcher may have said of a program that it could not start: such
 * words are no output of the run. A program whose standard error begins like that is read when it has ended.
 * @param words with what a launcher begins
 */
export function withoutLauncher(words: readonly string[], onOutput: OnOutput | undefined): OnOutput {
  let begun = '';
  let state: 'unknown' | 'program' | 'launcher' = 'unknown';
  return (stream, text) => {
    if (stream === 'stdout' || state === 'program') return onOutput?.(stream, text);
    if (state === 'launcher') return;
    begun += text;
    if (words.some((word) => begun.startsWith(word))) state = 'launcher';
    else if (!words.some((word) => word.startsWith(begun))) {
      state = 'program';
      onOutput?.(stream, begun);
    }
  };
}

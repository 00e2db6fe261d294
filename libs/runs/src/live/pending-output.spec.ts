import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutAt, PendingOutput } from './pending-output.js';

const said = fc.array(fc.tuple(fc.constantFrom('stdout', 'stderr'), fc.string({ unit: 'binary', maxLength: 20 })), {
  maxLength: 12,
});

it('gives each stream once, in order and without a hole, however much is taken at a time and whenever', () => {
  fc.assert(
    fc.property(said, fc.array(fc.integer({ min: 2, max: 30 }), { maxLength: 8 }), (list, sizes) => {
      const pending = new PendingOutput();
      const got = { stdout: '', stderr: '' };
      const take = (max: number): void => {
        const pieces = pending.take(max);
        expect(new Set(pieces.map(({ stream }) => stream)).size).toBe(pieces.length);
        expect(pieces.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(max);
        for (const { stream, at, text } of pieces) {
          expect(at).toBe(got[stream].length);
          expect(text).not.toBe('');
          expect(text.isWellFormed()).toBe(true);
          got[stream] += text;
        }
      };
      for (const [index, [stream, text]] of list.entries()) {
        pending.add(stream, text);
        const size = sizes[index];
        if (size !== undefined) take(size);
      }
      while (!pending.empty) take(sizes[0] ?? 7);
      for (const stream of ['stdout', 'stderr'] as const) {
        expect(got[stream]).toBe(list.flatMap(([name, text]) => (name === stream ? [text] : [])).join(''));
      }
    }),
  );
});

it('cuts no character in two', () => {
  expect([cutAt('ab', 5), cutAt('abc', 2), cutAt('a😀b', 2), cutAt('a😀b', 3)]).toEqual([2, 2, 1, 3]);
});

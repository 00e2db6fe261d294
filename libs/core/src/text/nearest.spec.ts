import { describe, expect, it } from 'vitest';
import { nearest } from './nearest.js';

describe('nearest', () => {
  it('forgives a slip and guesses nothing else', () => {
    expect(nearest('balanc', ['transfer', 'balance'])).toBe('balance');
    expect(nearest('--too', ['--memo', '--to'])).toBe('--to');
    expect(nearest('xyz', ['balance', 'login'])).toBeNull();
  });
});

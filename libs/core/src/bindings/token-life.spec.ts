import { describe, expect, it } from 'vitest';
import { leaseLeft, tokenDue } from './token-life.js';

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);
const token = (life_s: number) => ({ obtained_at: at(0), expires_at: at(life_s) });

describe('a token', () => {
  it('is due once it would end before the run and its margin', () => {
    expect(tokenDue(token(3600), 60_000, at(3534))).toBe(false);
    expect(tokenDue(token(3600), 60_000, at(3536))).toBe(true);
    expect(tokenDue(token(3600), 60_000, at(3700))).toBe(true);
  });

  it('that lives shorter than the run is due once half of it is gone, not for every run', () => {
    expect(tokenDue(token(30), 60_000, at(0))).toBe(false);
    expect(tokenDue(token(30), 60_000, at(14))).toBe(false);
    expect(tokenDue(token(30), 60_000, at(16))).toBe(true);
  });

  it('is fresh when it was just had, whatever the run', () => {
    for (const run_s of [0, 1, 30, 59, 60, 3600]) {
      for (const life_s of [2, 60, 65, 66, 3600]) expect(tokenDue(token(life_s), run_s * 1000, at(0))).toBe(false);
    }
  });

  it('without an end is never due and bounds nothing', () => {
    const forever = { obtained_at: at(0), expires_at: null };
    expect(tokenDue(forever, 60_000, at(1e9))).toBe(false);
    expect(leaseLeft(null, at(0))).toBeNull();
  });

  it('bounds the run by what is left of it', () => {
    expect(leaseLeft(at(10), at(0))).toBe(9000);
    expect(leaseLeft(at(10), at(11))).toBe(0);
  });
});

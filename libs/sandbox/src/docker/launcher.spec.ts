import { describe, expect, it } from 'vitest';
import { launchErrno, makeLaunch } from './launcher.js';

describe('makeLaunch', () => {
  it('writes a mark, a length in bytes and each pair with its end', () => {
    const { header, mark } = makeLaunch({ A: 'é=\n', B: '' });
    const pairs = Buffer.from('A=é=\n\0B=\0');
    expect(header.subarray(0, 32).toString()).toBe(mark);
    expect(header.readUInt32BE(32)).toBe(pairs.length);
    expect(header.subarray(36)).toEqual(pairs);
    expect(makeLaunch({}).mark).not.toBe(mark);
  });
});

describe('launchErrno', () => {
  const { mark } = makeLaunch({});

  it('is what the launcher wrote under its mark, and nothing that a program wrote', () => {
    expect(launchErrno(mark, `${mark} 2\n`)).toBe(2);
    expect(launchErrno(mark, `${'0'.repeat(32)} 2\n`)).toBeNull();
    expect(launchErrno(mark, `x${mark} 2\n`)).toBeNull();
    expect(launchErrno(mark, '')).toBeNull();
  });
});

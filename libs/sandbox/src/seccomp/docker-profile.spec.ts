import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALLOWED } from './allowed.js';
import { dockerSeccomp, neitherOf } from './docker-profile.js';
import { syscallTable } from './profile.js';

interface Profile {
  defaultAction: string;
  syscalls: { names: string[]; action: string; errnoRet?: number; args?: unknown[] }[];
}
const profileOf = (arch: 'x64' | 'arm64'): Profile => JSON.parse(dockerSeccomp(arch)) as Profile;

describe('neitherOf', () => {
  const number = fc.nat(0xffff_ffff);
  const fits = (masks: ReturnType<typeof neitherOf>, value: number): boolean =>
    masks.some((each) => (BigInt(value) & BigInt(each.mask)) === BigInt(each.value));

  it('fits every number but those', () => {
    fc.assert(
      fc.property(fc.uniqueArray(number, { minLength: 1, maxLength: 4 }), number, (refused, value) => {
        const masks = neitherOf(refused);
        expect(fits(masks, value)).toBe(!refused.includes(value));
        for (const each of refused) expect(fits(masks, each)).toBe(false);
      }),
    );
  });

  it('fits numbers that are one bit away', () => {
    const masks = neitherOf([0x5412, 0x541c]);
    for (let bit = 0; bit < 32; bit += 1) {
      const near = (0x5412 ^ (1 << bit)) >>> 0;
      expect(fits(masks, near)).toBe(near !== 0x541c);
    }
  });
});

describe.each(['x64', 'arm64'] as const)('the profile for docker on %s', (arch) => {
  const { defaultAction, syscalls } = profileOf(arch);

  it('names every call of the table, so that only newer ones count as missing', () => {
    const named = new Set(syscalls.flatMap(({ names }) => names));
    expect([...syscallTable(arch).keys()].filter((name) => !named.has(name))).toEqual([]);
    expect(defaultAction).toBe('SCMP_ACT_ERRNO');
  });

  it('allows without condition what the other form allows, and no more', () => {
    const free = syscalls
      .filter((rule) => rule.action === 'SCMP_ACT_ALLOW' && !rule.args)
      .flatMap(({ names }) => names);
    const table = syscallTable(arch);
    const allowed = ALLOWED.trim()
      .split(/\s+/)
      .filter((name) => table.has(name));
    expect(free.sort()).toEqual(allowed.sort());
    for (const name of ['io_uring_setup', 'ptrace', 'socket', 'clone', 'clone3', 'mount', 'bpf', 'keyctl']) {
      expect(free).not.toContain(name);
    }
  });
});

import { ALLOWED } from './allowed.js';
import { ARGUMENTS, type SeccompArch, syscallTable } from './profile.js';

interface Rule {
  names: string[];
  action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO';
  errnoRet?: number;
  args?: { index: number; value: number; valueTwo?: number; op: string }[];
}

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;
const LIBSECCOMP_ARCH: Record<SeccompArch, string> = { x64: 'SCMP_ARCH_X86_64', arm64: 'SCMP_ARCH_AARCH64' };

/**
 * The same filter as `seccompProgram`, from the same tables, in the form that Docker takes
 * (https://docs.docker.com/engine/security/seccomp/). Docker's default profile would allow io_uring and AF_VSOCK.
 *
 * Every refused call of the table is named, so that runc answers ENOSYS only for calls that are newer than the table. Two
 * conditions on one argument mean "or" to runc, so "neither" is spelt out; where the kernel looks at 32 bits of an argument,
 * so do the masks, because otherwise a bit above them would change the verdict and not the call.
 */
export function dockerSeccomp(arch: SeccompArch): string {
  const table = syscallTable(arch);
  const named = new Set(ALLOWED.trim().split(/\s+/));
  const special = new Set(['socket', 'socketpair', 'clone', 'clone3', 'ioctl', 'personality']);
  const names = [...table.keys()];
  const allow = (name: string, ...args: NonNullable<Rule['args']>): Rule => ({
    names: [name],
    action: 'SCMP_ACT_ALLOW',
    ...(args.length === 0 ? {} : { args }),
  });
  const refuse = (name: string, errnoRet: number, ...args: NonNullable<Rule['args']>): Rule => ({
    names: [name],
    action: 'SCMP_ACT_ERRNO',
    errnoRet,
    ...(args.length === 0 ? {} : { args }),
  });
  const equal = (index: number, value: number) => ({ index, value, op: 'SCMP_CMP_EQ' });
  const above = (index: number, value: number) => ({ index, value, op: 'SCMP_CMP_GT' });
  const masked = (index: number, mask: number, valueTwo: number) => ({
    index,
    value: mask,
    valueTwo,
    op: 'SCMP_CMP_MASKED_EQ',
  });
  const { families, netlink, netlink_route, namespaces, refused_ioctls, personalities, pair_family } = ARGUMENTS;
  const upTo = (last: number, ...but: readonly number[]): number[] =>
    Array.from({ length: last + 1 }, (_, value) => value).filter((value) => !but.includes(value));
  const rules: Rule[] = [
    { names: names.filter((name) => named.has(name) && !special.has(name)), action: 'SCMP_ACT_ALLOW' },
    {
      names: names.filter((name) => !named.has(name) && !special.has(name)),
      action: 'SCMP_ACT_ERRNO',
      errnoRet: EPERM,
    },
    refuse('clone3', ENOSYS),
    ...families.map((family) => allow('socket', equal(0, family))),
    allow('socket', equal(0, netlink), equal(2, netlink_route)),
    ...upTo(netlink, ...families, netlink).map((family) => refuse('socket', EAFNOSUPPORT, equal(0, family))),
    refuse('socket', EAFNOSUPPORT, above(0, netlink)),
    allow('socketpair', equal(0, pair_family)),
    refuse('socketpair', EAFNOSUPPORT, equal(0, 0)),
    refuse('socketpair', EAFNOSUPPORT, above(0, pair_family)),
    allow('clone', masked(0, namespaces, 0)),
    ...personalities.map((value) => allow('personality', equal(0, value))),
    ...neitherOf(refused_ioctls).map(({ mask, value }) => allow('ioctl', masked(1, mask, value))),
  ];
  return JSON.stringify({
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: EPERM,
    architectures: [LIBSECCOMP_ARCH[arch]],
    syscalls: rules,
  });
}

/** Masks that together fit every 32-bit number but these: each goes along a branch at the bit where it leaves the numbers. */
export function neitherOf(numbers: readonly number[]): { mask: number; value: number }[] {
  const out: { mask: number; value: number }[] = [];
  const walk = (bit: number, mask: number, value: number, here: readonly number[]): void => {
    if (here.length === 0) {
      out.push({ mask, value });
      return;
    }
    if (bit < 0) return;
    const weight = 2 ** bit;
    const set = here.filter((number) => Math.floor(number / weight) % 2 === 1);
    walk(bit - 1, mask + weight, value + weight, set);
    walk(
      bit - 1,
      mask + weight,
      value,
      here.filter((number) => !set.includes(number)),
    );
  };
  walk(31, 0, 0, numbers);
  return out;
}

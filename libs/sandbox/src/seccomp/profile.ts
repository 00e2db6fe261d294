import { ALLOWED } from './allowed.js';
import {
  assemble,
  OFFSET_ARCH,
  OFFSET_NR,
  offsetArgLow,
  RET_ALLOW,
  RET_KILL_PROCESS,
  retErrno,
  searchTree,
  type Segment,
  type Statement,
} from './bpf.js';
import { SYSCALLS_AARCH64 } from './syscalls-aarch64.js';
import { SYSCALLS_X86_64 } from './syscalls-x86_64.js';

export type SeccompArch = 'x64' | 'arm64';

/** AUDIT_ARCH_* of linux/audit.h. */
const AUDIT_ARCH: Record<SeccompArch, number> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
const TABLES: Record<SeccompArch, string> = { x64: SYSCALLS_X86_64, arm64: SYSCALLS_AARCH64 };
/** x32 calls carry this bit in their number on x86_64. */
const X32_BIT = 0x4000_0000;

const EPERM = retErrno(1);
const ENOSYS = retErrno(38);
const EAFNOSUPPORT = retErrno(97);

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
/** Every CLONE_NEW* flag of clone(2): a new user namespace would open most of the kernel to the program. */
const CLONE_NAMESPACES = 0x7e02_0000;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const PERSONALITY_QUERY = 0xffff_ffff;

/** What the filter looks for in arguments, in whatever form it is written. */
export const ARGUMENTS = {
  families: [AF_UNIX, AF_INET, AF_INET6],
  netlink: AF_NETLINK,
  netlink_route: NETLINK_ROUTE,
  pair_family: AF_UNIX,
  namespaces: CLONE_NAMESPACES,
  refused_ioctls: [TIOCSTI, TIOCLINUX],
  personalities: [0, PERSONALITY_QUERY],
} as const;

/** Syscall numbers by name. */
export function syscallTable(arch: SeccompArch): Map<string, number> {
  return new Map(
    TABLES[arch]
      .trim()
      .split(/,\s*/)
      .map((entry) => {
        const [name = '', number = ''] = entry.split(' ');
        return [name, Number(number)] as const;
      }),
  );
}

/**
 * The seccomp filter of every sandbox (SPEC S2) as the bytes that bubblewrap's `--seccomp` takes. What is not allowed fails
 * with EPERM. Calls newer than the table and clone3, whose flags a filter cannot see, fail with ENOSYS so that libc falls
 * back. Another architecture's calls (i386 on x86_64) kill the process.
 */
export function seccompProgram(arch: SeccompArch): Buffer {
  const table = syscallTable(arch);
  const number = (name: string): number => {
    const value = table.get(name);
    if (value === undefined) throw new Error(`no syscall ${name} on ${arch}`);
    return value;
  };
  const byArgument: Record<string, Statement[]> = {
    socket: [
      { op: 'load', offset: offsetArgLow(0) },
      { op: 'jeq', k: AF_UNIX, then: 'allow' },
      { op: 'jeq', k: AF_INET, then: 'allow' },
      { op: 'jeq', k: AF_INET6, then: 'allow' },
      { op: 'jeq', k: AF_NETLINK, then: 'netlink' },
      { op: 'return', k: EAFNOSUPPORT },
      { op: 'label', name: 'netlink' },
      { op: 'load', offset: offsetArgLow(2) },
      { op: 'jeq', k: NETLINK_ROUTE, then: 'allow' },
      { op: 'return', k: EPERM },
    ],
    socketpair: [
      { op: 'load', offset: offsetArgLow(0) },
      { op: 'jeq', k: AF_UNIX, then: 'allow' },
      { op: 'return', k: EAFNOSUPPORT },
    ],
    clone: [
      { op: 'load', offset: offsetArgLow(0) },
      { op: 'jset', k: CLONE_NAMESPACES, then: 'refuse' },
      { op: 'return', k: RET_ALLOW },
    ],
    ioctl: [
      { op: 'load', offset: offsetArgLow(1) },
      { op: 'jeq', k: TIOCSTI, then: 'refuse' },
      { op: 'jeq', k: TIOCLINUX, then: 'refuse' },
      { op: 'return', k: RET_ALLOW },
    ],
    personality: [
      { op: 'load', offset: offsetArgLow(0) },
      { op: 'jeq', k: 0, then: 'allow' },
      { op: 'jeq', k: PERSONALITY_QUERY, then: 'allow' },
      { op: 'return', k: EPERM },
    ],
  };
  const special = Object.keys(byArgument);
  return assemble([
    { op: 'load', offset: OFFSET_ARCH },
    { op: 'jeq', k: AUDIT_ARCH[arch], then: 'arch' },
    { op: 'return', k: RET_KILL_PROCESS },
    { op: 'label', name: 'arch' },
    { op: 'load', offset: OFFSET_NR },
    ...special.map((name): Statement => ({ op: 'jeq', k: number(name), then: `call.${name}` })),
    { op: 'jump', to: 'search' },
    ...special.flatMap((name): Statement[] => [{ op: 'label', name: `call.${name}` }, ...(byArgument[name] ?? [])]),
    { op: 'label', name: 'allow' },
    { op: 'return', k: RET_ALLOW },
    { op: 'label', name: 'refuse' },
    { op: 'return', k: EPERM },
    { op: 'label', name: 'search' },
    ...searchTree(segmentsOf(table)),
  ]);
}

function segmentsOf(table: Map<string, number>): Segment[] {
  const verdicts = new Map<number, number>();
  for (const name of ALLOWED.trim().split(/\s+/)) {
    const number = table.get(name);
    if (number !== undefined) verdicts.set(number, RET_ALLOW);
  }
  const clone3 = table.get('clone3');
  if (clone3 !== undefined) verdicts.set(clone3, ENOSYS);
  const last = Math.max(...table.values());
  const segments: Segment[] = [];
  for (let number = 0; number <= last; number += 1) {
    const k = verdicts.get(number) ?? EPERM;
    if (segments.at(-1)?.k !== k) segments.push({ start: number, k });
  }
  // x32 falls under "newer than the table" as well; it has its own line so that a longer table never lets it in.
  segments.push({ start: last + 1, k: ENOSYS }, { start: X32_BIT, k: EPERM });
  return segments;
}

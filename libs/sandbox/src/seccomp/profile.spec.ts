import { describe, expect, it } from 'vitest';
import { ALLOWED } from './allowed.js';
import { assemble, RET_ALLOW, RET_KILL_PROCESS, retErrno, searchTree, type Statement } from './bpf.js';
import { seccompProgram, syscallTable, type SeccompArch } from './profile.js';

const ARCH = { x64: 0xc000003e, arm64: 0xc00000b7, i386: 0x40000003 };

/** Runs a program as the kernel does; throws where the kernel's checker would refuse it. */
function run(program: Buffer, data: { nr: number; arch: number; args?: bigint[] }): number {
  const words = Buffer.alloc(64);
  words.writeUInt32LE(data.nr >>> 0, 0);
  words.writeUInt32LE(data.arch, 4);
  (data.args ?? []).forEach((arg, index) => words.writeBigUInt64LE(BigInt.asUintN(64, arg), 16 + index * 8));
  let accumulator = 0;
  for (let pc = 0; pc < program.length / 8; pc += 1) {
    const [code, jt, jf, k] = [
      program.readUInt16LE(pc * 8),
      program.readUInt8(pc * 8 + 2),
      program.readUInt8(pc * 8 + 3),
      program.readUInt32LE(pc * 8 + 4),
    ];
    if (code === 0x20) accumulator = words.readUInt32LE(k);
    else if (code === 0x06) return k;
    else if (code === 0x05) pc += k;
    else if (code === 0x15) pc += accumulator === k ? jt : jf;
    else if (code === 0x35) pc += accumulator >= k ? jt : jf;
    else if (code === 0x45) pc += (accumulator & k) !== 0 ? jt : jf;
    else throw new Error(`bad opcode ${code}`);
  }
  throw new Error('ran off the end');
}

const FORBIDDEN =
  `io_uring_setup io_uring_enter io_uring_register ptrace process_vm_readv process_vm_writev keyctl add_key
request_key bpf perf_event_open userfaultfd mount umount2 mount_setattr move_mount open_tree fsopen fsconfig fsmount fspick
pivot_root chroot unshare setns open_by_handle_at kexec_load init_module finit_module delete_module reboot swapon
swapoff settimeofday clock_settime clock_adjtime adjtimex acct syslog quotactl fanotify_init pidfd_getfd kcmp
process_madvise sethostname setdomainname vhangup nfsservctl lookup_dcookie`.split(/\s+/);

describe.each(['x64', 'arm64'] as SeccompArch[])('the filter on %s', (arch) => {
  const program = seccompProgram(arch);
  const table = syscallTable(arch);
  const call = (name: string, ...args: bigint[]): number => {
    const nr = table.get(name);
    if (nr === undefined) throw new Error(`no ${name}`);
    return run(program, { nr, arch: ARCH[arch], args });
  };

  it('decides every number by the lists', () => {
    const allowed = new Set(ALLOWED.trim().split(/\s+/));
    const byArgument = new Set(['socket', 'socketpair', 'clone', 'ioctl', 'personality']);
    for (const [name, nr] of table) {
      if (byArgument.has(name)) continue;
      const expected = allowed.has(name) ? RET_ALLOW : retErrno(name === 'clone3' ? 38 : 1);
      expect([name, run(program, { nr, arch: ARCH[arch] })]).toEqual([name, expected]);
    }
  });

  it('refuses what would leave the sandbox', () => {
    for (const name of FORBIDDEN.filter((name) => table.has(name)))
      expect([name, call(name)]).toEqual([name, retErrno(1)]);
    expect(call('clone3')).toBe(retErrno(38));
  });

  it('says ENOSYS to calls newer than the table', () => {
    expect(run(program, { nr: Math.max(...table.values()) + 1, arch: ARCH[arch] })).toBe(retErrno(38));
  });

  it('kills other architectures', () => {
    expect(run(program, { nr: 0, arch: ARCH.i386 })).toBe(RET_KILL_PROCESS);
    expect(run(program, { nr: 0, arch: arch === 'x64' ? ARCH.arm64 : ARCH.x64 })).toBe(RET_KILL_PROCESS);
  });

  it('refuses x32 and negative numbers', () => {
    expect(run(program, { nr: 0x40000000, arch: ARCH[arch] })).toBe(retErrno(1));
    expect(run(program, { nr: -1, arch: ARCH[arch] })).toBe(retErrno(1));
  });

  it('allows four socket families, whatever the upper half of the argument holds', () => {
    for (let family = 0; family < 64; family += 1) {
      const right = [1, 2, 10, 16].includes(family) ? RET_ALLOW : retErrno(97);
      expect(call('socket', BigInt(family), 1n, 0n)).toBe(right);
      expect(call('socket', (7n << 32n) | BigInt(family), 1n, 0n)).toBe(right);
    }
    expect(call('socket', 16n, 3n, 12n)).toBe(retErrno(1));
    expect(call('socketpair', 1n)).toBe(RET_ALLOW);
    expect(call('socketpair', 40n)).toBe(retErrno(97));
  });

  it('allows threads and forks and no namespace', () => {
    expect(call('clone', 0x3d0f00n)).toBe(RET_ALLOW);
    expect(call('clone', 0x1200011n)).toBe(RET_ALLOW);
    for (const flag of [0x20000n, 0x2000000n, 0x4000000n, 0x8000000n, 0x10000000n, 0x20000000n, 0x40000000n]) {
      expect(call('clone', flag | 17n)).toBe(retErrno(1));
    }
  });

  it('refuses to push input to a terminal', () => {
    expect(call('ioctl', 0n, 0x5401n)).toBe(RET_ALLOW);
    expect(call('ioctl', 0n, 0x5412n)).toBe(retErrno(1));
    expect(call('ioctl', 0n, (1n << 32n) | 0x5412n)).toBe(retErrno(1));
    expect(call('ioctl', 0n, 0x541cn)).toBe(retErrno(1));
  });

  it('allows the personality to be asked and no other to be set', () => {
    expect(call('personality', 0n)).toBe(RET_ALLOW);
    expect(call('personality', 0xffffffffn)).toBe(RET_ALLOW);
    expect(call('personality', 0x40000n)).toBe(retErrno(1));
  });
});

describe('the assembler', () => {
  it('refuses labels that are missing, doubled, backward or out of reach', () => {
    const end: Statement = { op: 'return', k: 0 };
    expect(() => assemble([{ op: 'jump', to: 'x' }, end])).toThrow('no label x');
    expect(() => assemble([{ op: 'label', name: 'x' }, { op: 'label', name: 'x' }, end])).toThrow('twice');
    expect(() => assemble([{ op: 'label', name: 'x' }, end, { op: 'jump', to: 'x' }])).toThrow('out of reach');
    const far = Array.from({ length: 256 }, () => end);
    expect(() => assemble([{ op: 'jeq', k: 1, then: 'x' }, ...far, { op: 'label', name: 'x' }, end])).toThrow(
      'out of reach',
    );
    expect(() =>
      assemble([
        { op: 'jump', to: 'x' },
        { op: 'label', name: 'x' },
      ]),
    ).toThrow('out of reach');
  });

  it('searches segments at their edges', () => {
    const segments = [0, 3, 4, 10, 200].map((start, k) => ({ start, k }));
    const program = assemble([{ op: 'load', offset: 0 }, ...searchTree(segments)]);
    const answers = [0, 2, 3, 4, 9, 10, 199, 200, 0xffffffff].map((nr) => run(program, { nr, arch: 0 }));
    expect(answers).toEqual([0, 0, 1, 2, 2, 3, 3, 4, 4]);
  });
});

import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { OutputPipe } from '../host/fifos.js';
import type { Limits } from '../port.js';

export interface Tools {
  bwrap: string;
  setpriv: string;
  prlimit: string;
  mkfifo: string;
}

export const ARGS_FD = 3;
export const SECCOMP_FD = 4;
export const STATUS_FD = 5;

export interface Launch {
  tools: Tools;
  /** The uid (and gid) of the host to drop to; null when we are unprivileged already. */
  uid: number | null;
  /** Options of prlimit besides the file size. */
  rlimits: readonly string[];
  limits: Pick<Limits, 'file_bytes'>;
  /** The program and its arguments, as seen inside. */
  command: readonly string[];
  output: { stdout: OutputPipe; stderr: OutputPipe };
  /** Descriptors that must not reach the program. */
  inherited: readonly number[];
}

export interface Launched {
  child: ChildProcess;
  /** Lets bubblewrap, which waits for its options, begin. */
  begin(options: readonly string[], seccomp: Buffer): void;
  /** What bubblewrap wrote of itself; whole once the child ended. */
  status: () => string;
}

/**
 * Starts bubblewrap up to the point where it reads its options, so that the caller can put it into its cgroup before
 * anything else happens. Each tool replaces itself by the next, so the pid is bubblewrap's. Its own environment is empty.
 * May throw, as when the arguments are too long for the kernel.
 */
export function launch({ tools, uid, rlimits, limits, command, output, inherited }: Launch): Launched {
  const drop =
    uid === null
      ? []
      : [tools.setpriv, '--reuid', String(uid), '--regid', String(uid), '--clear-groups', '--no-new-privs', '--'];
  const argv = [
    ...[`--fsize=${limits.file_bytes}:${limits.file_bytes}`, '--core=0:0', '--nofile=4096:4096', ...rlimits, '--'],
    ...drop,
    ...[tools.bwrap, '--args', String(ARGS_FD), '--', ...command],
  ];
  const child = spawnClosed(tools.prlimit, argv, output, inherited);
  let status = '';
  const pipes: readonly (Readable | Writable | null | undefined)[] = child.stdio;
  (pipes[STATUS_FD] as Readable).setEncoding('utf8').on('data', (text: string) => {
    if (status.length < 65_536) status += text;
  });
  // A tool that ends early breaks the pipes; how it ended says why.
  for (const pipe of pipes) pipe?.on('error', () => undefined);
  return {
    child,
    begin(options, seccomp) {
      (pipes[SECCOMP_FD] as Writable).end(seccomp);
      (pipes[ARGS_FD] as Writable).end(options.map((option) => `${option}\0`).join(''));
    },
    status: () => status,
  };
}

function spawnClosed(
  path: string,
  argv: readonly string[],
  { stdout, stderr }: Launch['output'],
  inherited: readonly number[],
): ChildProcess {
  const nothing = openSync('/dev/null', 'r+');
  try {
    const stdio: Exclude<StdioOptions, string> = ['ignore', stdout.write_fd, stderr.write_fd, 'pipe', 'pipe', 'pipe'];
    for (const fd of inherited) {
      while (stdio.length < fd) stdio.push('ignore');
      if (fd > STATUS_FD) stdio[fd] = nothing;
    }
    return spawn(path, argv, { env: {}, cwd: '/', stdio });
  } finally {
    for (const fd of [nothing, stdout.write_fd, stderr.write_fd]) closeSync(fd);
  }
}

/** The program's exit code from bubblewrap's status documents; undefined when it never began (or bubblewrap was killed). */
export function exitCodeIn(status: string): number | undefined {
  const code = /"exit-code"\s*:\s*(\d+)/.exec(status)?.[1];
  return code === undefined ? undefined : Number(code);
}

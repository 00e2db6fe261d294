import { access, constants, mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Cgroups, PARENT } from './port.js';
import { CgroupsV1 } from './v1.js';
import { CgroupsV2, WORKERS } from './v2.js';

export type Detected = { cgroups: Cgroups; note: string } | { cgroups: null; note: string };

/** Finds control groups that this process may use: version 1 or 2 as root, a delegated cgroup of version 2 otherwise. */
export async function detectCgroups(root: boolean): Promise<Detected> {
  const mounts = parseMounts(await readFile('/proc/self/mountinfo', 'utf8'));
  const failures: string[] = [];
  const { memory, pids, cpu } = mounts.v1;
  if (root && memory !== undefined && pids !== undefined && cpu !== undefined) {
    try {
      for (const mount of [memory, pids, cpu]) await mkdir(join(mount, PARENT), { recursive: true });
      return { cgroups: new CgroupsV1({ memory, pids, cpu }), note: 'limits by cgroup v1' };
    } catch (error) {
      failures.push(`cgroup v1: ${codeOf(error)}`);
    }
  }
  for (const base of mounts.v2 === undefined ? [] : await v2Bases(mounts.v2, root)) {
    try {
      const offered = (await readFile(join(base, 'cgroup.controllers'), 'utf8')).trim().split(' ');
      if (!['memory', 'pids', 'cpu'].every((name) => offered.includes(name)))
        throw new Error('a controller is missing');
      return { cgroups: await CgroupsV2.prepare(base), note: 'limits by cgroup v2' };
    } catch (error) {
      failures.push(`cgroup v2: ${codeOf(error)}`);
    }
  }
  const why = failures.length === 0 ? 'none that this user may write' : failures.join('; ');
  return {
    cgroups: null,
    note:
      `no cgroups (${why}): memory and pids are limited by rlimits per process and user, CPU only by time; ` +
      'run the worker as root or give it a delegated cgroup v2 (systemd: Delegate=yes)',
  };
}

/** Root manages the top that it sees; others what was delegated to them. */
async function v2Bases(mount: string, root: boolean): Promise<string[]> {
  const path = /^0::(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8'))?.[1] ?? '/';
  const own = join(mount, basename(path) === WORKERS ? dirname(path) : path);
  if (root) return [...new Set([mount, own])];
  try {
    for (const file of ['cgroup.procs', 'cgroup.subtree_control']) await access(join(own, file), constants.W_OK);
    return [own];
  } catch {
    return [];
  }
}

export interface CgroupMounts {
  v1: { memory?: string; pids?: string; cpu?: string };
  v2?: string;
}

/** Reads the cgroup mounts from /proc/self/mountinfo (proc(5)). */
export function parseMounts(mountinfo: string): CgroupMounts {
  const found: CgroupMounts = { v1: {} };
  for (const line of mountinfo.split('\n')) {
    const [left = '', right = ''] = line.split(' - ');
    const point = left
      .split(' ')[4]
      ?.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));
    const [type, , options = ''] = right.split(' ');
    if (point === undefined) continue;
    if (type === 'cgroup2') found.v2 ??= point;
    if (type !== 'cgroup') continue;
    for (const name of options.split(',')) {
      if (name === 'memory' || name === 'pids' || name === 'cpu') found.v1[name] ??= point;
    }
  }
  return found;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error ? String(error.code) : error.message;
}

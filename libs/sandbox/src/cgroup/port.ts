import type { Limits } from '../port.js';

/** The cgroup of one run. */
export interface RunCgroup {
  /** Moves a process in; what it starts from then on is in as well. */
  join(pid: number): Promise<void>;
  /** Whether the kernel killed something in it for want of memory. Ask before `remove`. */
  oomKilled(): Promise<boolean>;
  /** Kills everything in it and waits until it is empty; false when something is still there after `deadline_ms`. */
  kill(deadline_ms: number): Promise<boolean>;
  remove(): Promise<void>;
}

/** Control groups of one machine, version 1 or 2 (SPEC S2). */
export interface Cgroups {
  readonly version: 1 | 2;
  create(name: string, limits: Pick<Limits, 'memory_bytes' | 'pids' | 'cpus'>): Promise<RunCgroup>;
  /** Names of all runs' cgroups, of other workers too. */
  list(): Promise<string[]>;
  open(name: string): RunCgroup;
}

/** All sandboxes of a machine live below a cgroup of this name. */
export const PARENT = 'hcp-sandbox';
/** bubblewrap's monitor and its pid 1 are in the cgroup as well. */
export const OWN_PROCESSES = 2;
export const CPU_PERIOD_US = 100_000;

/** Microseconds per period; the kernel takes no less than 1000. */
export function cpuQuota(cpus: number): number {
  return Math.max(1000, Math.round(cpus * CPU_PERIOD_US));
}

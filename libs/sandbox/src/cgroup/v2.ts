import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Limits } from '../port.js';
import { killUntilEmpty, processesIn, removeCgroup } from './kill.js';
import { type Cgroups, CPU_PERIOD_US, cpuQuota, OWN_PROCESSES, PARENT, type RunCgroup } from './port.js';

const CONTROLLERS = '+memory +pids +cpu';
/** Where the worker's own processes go when its cgroup must not hold any (the "no internal processes" rule). */
export const WORKERS = 'hcp-workers';

/** Version 2, the unified hierarchy. `base` is a cgroup that this process may manage. */
export class CgroupsV2 implements Cgroups {
  readonly version = 2;
  private readonly parent: string;

  private constructor(base: string) {
    this.parent = join(base, PARENT);
  }

  /** Makes `base` hand its controllers down; throws where it may not. */
  static async prepare(base: string): Promise<CgroupsV2> {
    const cgroups = new CgroupsV2(base);
    await enable(base);
    await mkdir(cgroups.parent, { recursive: true });
    await enable(cgroups.parent);
    return cgroups;
  }

  async create(name: string, limits: Pick<Limits, 'memory_bytes' | 'pids' | 'cpus'>): Promise<RunCgroup> {
    const folder = join(this.parent, name);
    const run = new RunCgroupV2(folder);
    await mkdir(folder);
    try {
      await writeFile(join(folder, 'memory.max'), String(limits.memory_bytes));
      // Not there where the kernel has no swap accounting.
      await writeFile(join(folder, 'memory.swap.max'), '0', { flag: 'r+' }).catch(() => undefined);
      await writeFile(join(folder, 'pids.max'), String(limits.pids + OWN_PROCESSES));
      await writeFile(join(folder, 'cpu.max'), `${cpuQuota(limits.cpus)} ${CPU_PERIOD_US}`);
      return run;
    } catch (error) {
      await run.remove().catch(() => undefined);
      throw error;
    }
  }

  async list(): Promise<string[]> {
    const entries = await readdir(this.parent, { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  }

  open(name: string): RunCgroup {
    return new RunCgroupV2(join(this.parent, name));
  }
}

export class RunCgroupV2 implements RunCgroup {
  constructor(private readonly folder: string) {}

  async join(pid: number): Promise<void> {
    await writeFile(join(this.folder, 'cgroup.procs'), String(pid));
  }

  async oomKilled(): Promise<boolean> {
    const text = await readFile(join(this.folder, 'memory.events'), 'utf8').catch(() => '');
    return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0) > 0;
  }

  async kill(deadline_ms: number): Promise<boolean> {
    // One write that no fork can outrun (Linux 5.14); older kernels get the loop alone, with forking switched off.
    await writeFile(join(this.folder, 'cgroup.kill'), '1', { flag: 'r+' }).catch(() =>
      writeFile(join(this.folder, 'pids.max'), '0', { flag: 'r+' }).catch(() => undefined),
    );
    return killUntilEmpty(this.folder, deadline_ms);
  }

  async remove(): Promise<void> {
    await removeCgroup(this.folder);
  }
}

async function enable(folder: string): Promise<void> {
  const control = join(folder, 'cgroup.subtree_control');
  try {
    await writeFile(control, CONTROLLERS);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EBUSY')) throw error;
    const workers = join(folder, WORKERS);
    await mkdir(workers, { recursive: true });
    for (const pid of await processesIn(folder)) await writeFile(join(workers, 'cgroup.procs'), String(pid));
    await writeFile(control, CONTROLLERS);
  }
}

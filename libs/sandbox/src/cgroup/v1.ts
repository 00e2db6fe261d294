import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Limits } from '../port.js';
import { killUntilEmpty, removeCgroup } from './kill.js';
import { type Cgroups, CPU_PERIOD_US, cpuQuota, OWN_PROCESSES, PARENT, type RunCgroup } from './port.js';

/** Where each controller is mounted; two may share a mount. */
export interface V1Mounts {
  memory: string;
  pids: string;
  cpu: string;
}

/** Version 1: a folder of the same name in each of three hierarchies. */
export class CgroupsV1 implements Cgroups {
  readonly version = 1;

  constructor(private readonly mounts: V1Mounts) {}

  async create(name: string, limits: Pick<Limits, 'memory_bytes' | 'pids' | 'cpus'>): Promise<RunCgroup> {
    const run = new RunCgroupV1(this.mounts, name);
    try {
      for (const folder of run.folders) await mkdir(folder, { recursive: true });
      await writeFile(join(run.memory, 'memory.limit_in_bytes'), String(limits.memory_bytes));
      // Memory and swap together; the file is there only where the kernel counts swap.
      await writeFile(join(run.memory, 'memory.memsw.limit_in_bytes'), String(limits.memory_bytes), {
        flag: 'r+',
      }).catch(ignoreMissing);
      await writeFile(join(run.pids, 'pids.max'), String(limits.pids + OWN_PROCESSES));
      await writeFile(join(run.cpu, 'cpu.cfs_period_us'), String(CPU_PERIOD_US));
      await writeFile(join(run.cpu, 'cpu.cfs_quota_us'), String(cpuQuota(limits.cpus)));
      return run;
    } catch (error) {
      await run.remove().catch(() => undefined);
      throw error;
    }
  }

  async list(): Promise<string[]> {
    const names = new Set<string>();
    const { memory, pids, cpu } = this.mounts;
    for (const mount of new Set([memory, pids, cpu])) {
      const entries = await readdir(join(mount, PARENT), { withFileTypes: true }).catch(() => []);
      for (const entry of entries) if (entry.isDirectory()) names.add(entry.name);
    }
    return [...names];
  }

  open(name: string): RunCgroup {
    return new RunCgroupV1(this.mounts, name);
  }
}

class RunCgroupV1 implements RunCgroup {
  readonly memory: string;
  readonly pids: string;
  readonly cpu: string;

  constructor(mounts: V1Mounts, name: string) {
    this.memory = join(mounts.memory, PARENT, name);
    this.pids = join(mounts.pids, PARENT, name);
    this.cpu = join(mounts.cpu, PARENT, name);
  }

  get folders(): Set<string> {
    return new Set([this.memory, this.pids, this.cpu]);
  }

  async join(pid: number): Promise<void> {
    for (const folder of this.folders) await writeFile(join(folder, 'cgroup.procs'), String(pid));
  }

  async oomKilled(): Promise<boolean> {
    const text = await readFile(join(this.memory, 'memory.oom_control'), 'utf8').catch(() => '');
    return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0) > 0;
  }

  async kill(deadline_ms: number): Promise<boolean> {
    // Nothing new may start, so a fork bomb cannot outrun the signals.
    await writeFile(join(this.pids, 'pids.max'), '0', { flag: 'r+' }).catch(() => undefined);
    const gone = [];
    for (const folder of this.folders) gone.push(await killUntilEmpty(folder, deadline_ms));
    return gone.every(Boolean);
  }

  async remove(): Promise<void> {
    for (const folder of this.folders) await removeCgroup(folder);
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseMounts } from './detect.js';
import { cpuQuota } from './port.js';
import { CgroupsV2, RunCgroupV2 } from './v2.js';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'hcp-cgroup-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

// A folder of plain files stands for the hierarchy: what is written where is what counts here.
describe('cgroup v2', () => {
  it('hands controllers down and writes the limits', async () => {
    const cgroups = await CgroupsV2.prepare(base);
    const run = await cgroups.create('1.2.3.run', { memory_bytes: 1000, pids: 10, cpus: 1.5 });
    const folder = join(base, 'hcp-sandbox', '1.2.3.run');
    const read = (path: string): string => readFileSync(path, 'utf8');
    for (const at of [base, join(base, 'hcp-sandbox')])
      expect(read(join(at, 'cgroup.subtree_control'))).toBe('+memory +pids +cpu');
    expect(read(join(folder, 'memory.max'))).toBe('1000');
    expect(read(join(folder, 'pids.max'))).toBe('12');
    expect(read(join(folder, 'cpu.max'))).toBe('150000 100000');
    await run.join(4242);
    expect(read(join(folder, 'cgroup.procs'))).toBe('4242');
    expect(await cgroups.list()).toEqual(['1.2.3.run']);
  });

  it('reads the counter of killed processes', async () => {
    const run = new RunCgroupV2(base);
    expect(await run.oomKilled()).toBe(false);
    writeFileSync(join(base, 'memory.events'), 'low 0\nhigh 0\nmax 9\noom 9\noom_kill 0\noom_group_kill 3\n');
    expect(await run.oomKilled()).toBe(false);
    writeFileSync(join(base, 'memory.events'), 'oom 1\noom_kill 2\n');
    expect(await run.oomKilled()).toBe(true);
  });

  it('kills by the one file where the kernel has it, and one by one besides', async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    const gone = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
    // Zero stands for a process that this namespace cannot see; it must never be signalled.
    writeFileSync(join(base, 'cgroup.procs'), `0\n${child.pid}\n`);
    writeFileSync(join(base, 'cgroup.kill'), '');
    expect(await new RunCgroupV2(base).kill(0)).toBe(false);
    expect(await gone).toBe('SIGKILL');
    expect(readFileSync(join(base, 'cgroup.kill'), 'utf8')).toBe('1');
  });

  it('stops forks where cgroup.kill is missing, and is content with an empty cgroup', async () => {
    writeFileSync(join(base, 'pids.max'), '12');
    writeFileSync(join(base, 'cgroup.procs'), '');
    expect(await new RunCgroupV2(base).kill(1000)).toBe(true);
    expect(readFileSync(join(base, 'pids.max'), 'utf8').slice(0, 1)).toBe('0');
  });

  it('removes the folder, once or twice', async () => {
    const folder = join(base, 'run');
    mkdirSync(folder);
    await new RunCgroupV2(folder).remove();
    await new RunCgroupV2(folder).remove();
    expect(existsSync(folder)).toBe(false);
    expect(readdirSync(base)).toEqual([]);
  });
});

describe('parseMounts', () => {
  it('finds both versions, shared mounts and escaped paths', () => {
    const text = [
      '30 25 0:26 / /sys/fs/cgroup/memory rw,nosuid shared:9 - cgroup cgroup rw,memory',
      '31 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
      '32 25 0:28 /docker/x /odd\\040place rw - cgroup cgroup rw,pids',
      '33 25 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
      '34 25 0:30 / /tmp rw - tmpfs tmpfs rw',
    ].join('\n');
    expect(parseMounts(text)).toEqual({
      v1: { memory: '/sys/fs/cgroup/memory', cpu: '/sys/fs/cgroup/cpu,cpuacct', pids: '/odd place' },
      v2: '/sys/fs/cgroup/unified',
    });
    expect(parseMounts('')).toEqual({ v1: {} });
  });
});

describe('cpuQuota', () => {
  it('is in microseconds of a period and never below what the kernel takes', () => {
    expect([2, 0.5, 0.000001].map(cpuQuota)).toEqual([200_000, 50_000, 1000]);
  });
});

import { readFile, rmdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Pids in a cgroup. Zero stands for a process of another pid namespace; as an argument of kill it would mean our own group. */
export async function processesIn(folder: string): Promise<number[]> {
  try {
    const text = await readFile(`${folder}/cgroup.procs`, 'utf8');
    return text
      .split('\n')
      .map(Number)
      .filter((pid) => pid > 0);
  } catch {
    return [];
  }
}

/** Sends SIGKILL to all in the cgroup, again and again until it is empty; false at the deadline. */
export async function killUntilEmpty(folder: string, deadline_ms: number): Promise<boolean> {
  const deadline = performance.now() + deadline_ms;
  for (let pause = 1; ; pause = Math.min(pause * 2, 20)) {
    const pids = await processesIn(folder);
    if (pids.length === 0) return true;
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone between the two lines.
      }
    }
    if (performance.now() > deadline) return false;
    await sleep(pause);
  }
}

/** Removes an empty cgroup; the kernel says EBUSY for a moment after the last process died. */
export async function removeCgroup(folder: string, deadline_ms = 2000): Promise<void> {
  const deadline = performance.now() + deadline_ms;
  for (let pause = 1; ; pause = Math.min(pause * 2, 20)) {
    try {
      return await rmdir(folder);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'ENOENT') return;
      if (code !== 'EBUSY' || performance.now() > deadline) throw error;
    }
    await sleep(pause);
  }
}

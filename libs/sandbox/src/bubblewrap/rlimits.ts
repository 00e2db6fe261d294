import { readdir, readFile } from 'node:fs/promises';
import type { Limits } from '../port.js';

/** V8 maps about that much writable memory before it uses any of it. */
const RESERVED_BYTES = 1024 * 1024 * 1024;

/**
 * prlimit's options where there are no cgroups: memory by RLIMIT_DATA of each process, a coarse bound because
 * it counts what is reserved as well, processes by RLIMIT_NPROC on top of what `uid` runs already, processor time.
 */
export async function fallbackRlimits(limits: Limits, uid: number): Promise<string[]> {
  const threads = await threadsOf(uid);
  const seconds = Math.ceil((limits.timeout_ms / 1000) * limits.cpus) + 1;
  return [`--data=${limits.memory_bytes + RESERVED_BYTES}`, `--nproc=${threads + limits.pids}`, `--cpu=${seconds}`];
}

async function threadsOf(uid: number): Promise<number> {
  let threads = 0;
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '');
    if (/^Uid:\s+(\d+)/m.exec(status)?.[1] === String(uid))
      threads += Number(/^Threads:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
  return threads;
}

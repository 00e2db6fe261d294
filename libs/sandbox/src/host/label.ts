import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Names the worker process that owns a cgroup or folder: `<pid namespace>.<pid>.<start time>`. The start time tells a
 * reused pid from the process that once had it, so a label whose process is gone is an orphan for certain (SPEC S3).
 */
export function ownLabel(): string {
  return `${pidNamespace()}.${process.pid}.${startTime('self') ?? '0'}`;
}

/** `<label>.<run_id>`, the name of everything that one run leaves on the host. */
export function runName(label: string, run_id: string): string {
  return `${label}.${run_id}`;
}

const NAME = /^(\d+)\.(\d+)\.(\d+)(?:\.[A-Za-z0-9_-]+)?$/;

/** Whether the owner of this name is known to be dead. Another container's workers cannot be judged from here: not orphaned. */
export function isOrphan(name: string): boolean {
  const [, namespace, pid, started] = NAME.exec(name) ?? [];
  if (namespace === undefined || pid === undefined || started === undefined) return false;
  return namespace === pidNamespace() && startTime(pid) !== started;
}

function pidNamespace(): string {
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
}

/** Field 22 of /proc/PID/stat; undefined when there is no such process or only its zombie. */
function startTime(pid: string): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

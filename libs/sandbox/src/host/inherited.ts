import { readdirSync, readFileSync } from 'node:fs';

/** O_CLOEXEC as /proc/PID/fdinfo shows it, in octal. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Descriptors above stderr that a child of this process would get although nobody meant it, because our own parent left
 * them open. Node opens its own with close-on-exec and marks only the lowest of the others so. The launcher puts
 * /dev/null in their place.
 */
export function inheritedDescriptors(): number[] {
  const found: number[] = [];
  for (const name of readdirSync('/proc/self/fdinfo')) {
    const fd = Number(name);
    if (fd <= 2) continue;
    try {
      const flags = /^flags:\s+([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, 'utf8'))?.[1] ?? '0';
      if ((parseInt(flags, 8) & CLOSE_ON_EXEC) === 0) found.push(fd);
    } catch {
      // The folder's own descriptor, closed by now.
    }
  }
  return found;
}

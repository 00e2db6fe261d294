import { existsSync, readFileSync } from 'node:fs';
import { bubblewrapCommand, ensureBubblewrap } from './bubblewrap.mjs';
import { attempt } from './run.mjs';

/**
 * Parts of the system that tests on real parts need, and that no npm package brings.
 * @returns {Promise<{ name: string, how: string }[]>} the missing ones
 */
export async function missingParts() {
  const missing = [];
  if (!(await ensureBubblewrap())) missing.push({ name: 'bubblewrap', how: bubblewrapCommand() });
  else if (!(await sandboxStarts()))
    missing.push({ name: 'user namespaces for bubblewrap', how: 'see docs/operations' });
  if (!canLimit())
    missing.push({ name: 'control groups that we may write', how: 'run as root, or delegate a cgroup to this user' });
  if (!(await attempt('redis-server', ['--version'])).ok)
    missing.push({ name: 'redis-server', how: 'apt-get install redis-server, or the like' });
  return missing;
}

async function sandboxStarts() {
  const args = [
    '--unshare-all',
    '--die-with-parent',
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    'true',
  ];
  return (await attempt('bwrap', args)).ok;
}

/** Root may always make one; others need a subtree of their own. */
function canLimit() {
  return (
    process.getuid?.() === 0 && existsSync('/proc/cgroups') && readFileSync('/proc/cgroups', 'utf8').includes('pids')
  );
}

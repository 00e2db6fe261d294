import { existsSync, readFileSync } from 'node:fs';
import { bubblewrapCommand, ensureBubblewrap } from './bubblewrap.mjs';
import { installedProgram, WRAPPED_PROGRAMS } from './programs.mjs';
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
  if (!(await attempt('/usr/sbin/dockerd', ['--version'])).ok && !(await attempt('dockerd', ['--version'])).ok)
    missing.push({ name: 'docker', how: 'apt-get install docker.io, or the like' });
  else if (process.getuid?.() !== 0) missing.push({ name: 'a docker daemon of the tests’ own', how: 'run as root' });
  if (!(await attempt('runsc', ['--version'])).ok)
    missing.push({ name: 'gVisor (runsc)', how: 'apt-get install runsc, or the like' });
  for (const name of WRAPPED_PROGRAMS) {
    if (installedProgram(name) === null) missing.push({ name, how: `apt-get install ${name}, or the like` });
  }
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

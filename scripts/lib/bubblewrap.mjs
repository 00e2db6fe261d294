import { existsSync } from 'node:fs';
import { Stop, step } from './progress.mjs';
import { attempt, run } from './run.mjs';

const HOW = [
  ['/usr/bin/apt-get', 'apt-get install bubblewrap'],
  ['/usr/bin/dnf', 'dnf install bubblewrap'],
  ['/sbin/apk', 'apk add bubblewrap'],
  ['/usr/bin/pacman', 'pacman -S bubblewrap'],
  ['/usr/bin/zypper', 'zypper install bubblewrap'],
];

export async function hasBubblewrap() {
  return (await attempt('bwrap', ['--version'])).ok;
}

/** How a person gets it here. */
export function bubblewrapCommand() {
  const known = HOW.find(([manager]) => existsSync(manager));
  return known
    ? `${process.getuid?.() === 0 ? '' : 'sudo '}${known[1]}`
    : 'see https://github.com/containers/bubblewrap';
}

/**
 * Installs bubblewrap where that needs no question: as root on Debian and its kin. Elsewhere, or when that fails, says
 * what to do and goes on: everything but wrapped commands works without.
 * @returns {Promise<boolean>} whether it is there
 */
export async function ensureBubblewrap() {
  if (await hasBubblewrap()) return true;
  const root = process.getuid?.() === 0;
  if (root && existsSync('/usr/bin/apt-get')) {
    try {
      await step('installing bubblewrap (apt-get)', async () => {
        const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
        const install = () =>
          attempt('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'bubblewrap'], { env });
        if ((await install()).ok) return;
        await run('apt-get', ['update', '-qq'], { env });
        const second = await install();
        if (!second.ok) throw new Stop(second.output);
      });
      return await hasBubblewrap();
    } catch (error) {
      process.stdout.write(`  that failed: ${error.message.trim().split('\n').at(-1)}\n`);
    }
  }
  process.stdout.write(
    `bubblewrap is missing, so wrapped commands will be refused. Install it: ${bubblewrapCommand()}\n`,
  );
  return false;
}

import { createBubblewrap } from './bubblewrap/create.js';
import { createDocker } from './docker/create.js';
import { NativeLocalDriver } from './native-local/driver.js';
import type { SelectOptions } from './options.js';
import type { SandboxDriver } from './port.js';

export type Selected = { ok: true; driver: SandboxDriver } | { ok: false; reason: string; fix: string };

/**
 * Picks the driver of this machine and proves that it works by a trial run (SPEC S1): for `auto` bubblewrap, else docker, else
 * none, with how to get one. Never throws. Without isolation nothing is picked unless asked for by name, and in production
 * never.
 */
export async function selectDriver(options: SelectOptions): Promise<Selected> {
  switch (options.requested) {
    case 'bubblewrap':
      return bubblewrap(options);
    case 'docker':
      return docker(options);
    case 'native-local':
      if (!options.production) return { ok: true, driver: new NativeLocalDriver(options) };
      return { ok: false, reason: 'native-local is refused in production', fix: 'apt-get install bubblewrap' };
    case 'auto': {
      const first = await bubblewrap(options);
      if (first.ok) return first;
      const second = await docker(options);
      if (second.ok) return second;
      return { ok: false, reason: `${first.reason}; ${second.reason}`, fix: `${first.fix}; or ${second.fix}` };
    }
  }
}

function bubblewrap(options: SelectOptions): Promise<Selected> {
  return createBubblewrap({ ...options, allow_uploaded: options.allow_uploaded.includes('bubblewrap') });
}

async function docker(options: SelectOptions): Promise<Selected> {
  if (options.docker === undefined) {
    return { ok: false, reason: 'docker is not set up', fix: 'give the worker the socket of a docker daemon' };
  }
  return createDocker({ ...options, allow_uploaded: options.allow_uploaded.includes('docker') }, options.docker);
}

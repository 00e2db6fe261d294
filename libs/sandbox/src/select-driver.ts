import { createBubblewrap } from './bubblewrap/create.js';
import { NativeLocalDriver } from './native-local/driver.js';
import type { SelectOptions } from './options.js';
import type { SandboxDriver } from './port.js';

export type Selected = { ok: true; driver: SandboxDriver } | { ok: false; reason: string; fix: string };

/**
 * Picks the driver of this machine and proves that it works by a run of `true` (SPEC S1). Never throws. Without isolation
 * nothing is picked unless asked for by name, and in production never.
 */
export async function selectDriver(options: SelectOptions): Promise<Selected> {
  if (options.requested !== 'native-local') return createBubblewrap(options);
  if (options.production) {
    return { ok: false, reason: 'native-local is refused in production', fix: 'apt-get install bubblewrap' };
  }
  return { ok: true, driver: new NativeLocalDriver(options) };
}

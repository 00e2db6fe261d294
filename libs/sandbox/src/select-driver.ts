import type { SandboxDriver } from './port.js';

export interface SelectOptions {
  requested: 'auto' | 'bubblewrap' | 'native-local';
  production: boolean;
  /** The operator's opt-in to run packs that tenants upload (SPEC S1). */
  allow_uploaded: boolean;
  /** Programs that packs may name, with their absolute path on the host (SPEC S6). */
  allowed_bins: Readonly<Record<string, string>>;
  /** A folder that every uid may enter (mode 0755 to the root), such as /var/lib/hcp; the driver keeps its own things below. */
  data_dir: string;
  /** The Node binary that packs get as `node`. */
  node_bin: string;
  /** Runs at once; each has its own uid. Default 16. */
  slots?: number;
}

export type Selected = { ok: true; driver: SandboxDriver } | { ok: false; reason: string; fix: string };

/** Picks the driver of this machine and proves that it works by a run of `true` (SPEC S1). Never throws. */
export async function selectDriver(options: SelectOptions): Promise<Selected> {
  return Promise.resolve({ ok: false, reason: `no driver for ${options.requested}`, fix: 'apt-get install bubblewrap' });
}

import type { EgressPolicy } from '@hcp/egress';

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
  /** Runs at once; each has its own uid. Default 16, at most 64. */
  slots?: number;
  /** Private hosts that packs which declare them may reach all the same, as `EgressPolicy.allow_private` has it (SPEC S4). */
  allow_private_hosts?: readonly string[];
  /** Instead of the system's resolver, for tests. */
  resolve_host?: EgressPolicy['resolve'];
}

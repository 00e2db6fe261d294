import type { EgressPolicy } from '@hcp/egress';
import type { DriverName } from './port.js';

/** A container daemon of this machine, and the images that it may run. Nothing is ever fetched. */
export interface DockerOptions {
  /** `unix:///path` of the daemon's socket (Docker, or podman's `system service`). */
  host: string;
  /** A runtime that the daemon knows, such as `runsc`; null for its default. */
  runtime: string | null;
  /** The image of packs that name none: a name or a `sha256:` id; taken as it is when the worker starts. */
  image: string;
  /** Images that packs may name, by digest (SPEC S1). */
  images: Readonly<Record<string, string>>;
}

export interface SelectOptions {
  requested: 'auto' | DriverName;
  production: boolean;
  /** The drivers that the operator lets run packs that tenants upload (SPEC S1). */
  allow_uploaded: readonly DriverName[];
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
  /** Absent: docker is not tried. */
  docker?: DockerOptions;
}

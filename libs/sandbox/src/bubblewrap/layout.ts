import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import type { RunEgress } from '../egress/run-egress.js';
import { INSIDE_UID } from '../host/runtime.js';
import type { Limits, SandboxSpec } from '../port.js';

export const INSIDE_PACK = '/pack';
export const INSIDE_WORKSPACE = '/workspace';
export const INSIDE_HOME = '/tmp/home';
export const INSIDE_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Folders at the top that are links into /usr on merged systems and folders of their own on others. */
const TOP = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];
/** Below /usr, but not the distribution's: hidden. */
const HIDDEN = ['/usr/local', '/usr/src'];

/** The parts of a sandbox that are the same for every run on this machine. */
export interface Layout {
  /** Options that make the read-only root, up to and without /tmp. */
  root: readonly string[];
  /** Programs that operators allow: name to path inside. */
  bins: ReadonlyMap<string, string>;
}

/** Looks at the host once and says how its /usr becomes the sandbox's root. `missing` gets allowed bins that are not there. */
export async function planLayout(parts: {
  etc_dir: string;
  node_path: string;
  allowed_bins: Readonly<Record<string, string>>;
  missing: string[];
}): Promise<Layout> {
  const root = ['--ro-bind', '/usr', '/usr'];
  for (const name of TOP) {
    const info = await lstat(`/${name}`).catch(() => null);
    if (info?.isSymbolicLink()) root.push('--symlink', await readlink(`/${name}`), `/${name}`);
    else if (info?.isDirectory()) root.push('--ro-bind', `/${name}`, `/${name}`);
  }
  const hidden: string[] = [];
  for (const path of HIDDEN) {
    if ((await stat(path).catch(() => null))?.isDirectory()) hidden.push(path);
  }
  for (const path of hidden) root.push('--size', '65536', '--tmpfs', path);
  const bins = new Map<string, string>();
  const extra = new Map<string, string>([['node', parts.node_path]]);
  for (const [name, path] of Object.entries(parts.allowed_bins)) {
    const real = await realpath(path).catch(() => null);
    if (real === null || !/^[A-Za-z0-9][A-Za-z0-9._+-]*$/.test(name)) parts.missing.push(name);
    else if (name === 'node') bins.set(name, '/usr/local/bin/node');
    else if (real.startsWith('/usr/') && !hidden.some((folder) => real.startsWith(`${folder}/`))) {
      // As it was named: some programs act by the name that they are called by.
      bins.set(name, path.startsWith('/usr/') || TOP.some((top) => path.startsWith(`/${top}/`)) ? path : real);
    } else {
      extra.set(name, real);
      bins.set(name, `/usr/local/bin/${name}`);
    }
  }
  if (!hidden.includes('/usr/local')) throw new Error('the host has no /usr/local to put programs in');
  root.push('--dir', '/usr/local/bin');
  for (const [name, path] of extra) root.push('--ro-bind', path, `/usr/local/bin/${name}`);
  for (const path of hidden) root.push('--remount-ro', path);
  root.push('--ro-bind', parts.etc_dir, '/etc');
  return { root, bins };
}

export interface RunPlaces {
  pack_dir: string | null;
  /** The host folder that becomes /workspace, or null for mode `pack`. */
  workspace_dir: string | null;
}

/**
 * bubblewrap's options for one run. They hold the environment, so they go through `--args FD` and never through argv,
 * which every user of the host can list (SPEC B4).
 */
export function bwrapOptions(
  layout: Layout,
  places: RunPlaces,
  run: {
    env: SandboxSpec['env'];
    limits: Pick<Limits, 'tmp_bytes'>;
    seccomp_fd: number;
    status_fd: number;
    /** What a way out of the sandbox needs; none without. */
    egress: Pick<RunEgress, 'env' | 'mounts'> | null;
  },
): string[] {
  const env = {
    PATH: INSIDE_PATH,
    HOME: INSIDE_HOME,
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    ...run.env,
    ...run.egress?.env,
    HCP_SANDBOX: 'sandbox',
  };
  const size = String(run.limits.tmp_bytes);
  const cwd = places.workspace_dir !== null ? INSIDE_WORKSPACE : places.pack_dir !== null ? INSIDE_PACK : '/';
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--uid', String(INSIDE_UID), '--gid', String(INSIDE_UID), '--hostname', 'sandbox'],
    ...['--seccomp', String(run.seccomp_fd), '--json-status-fd', String(run.status_fd)],
    ...layout.root,
    // bubblewrap's own pid 1 is of the program's uid and puts itself under the filter only after it started the program:
    // without its folder there is no /proc/1/mem to make it act outside the filter with.
    ...['--proc', '/proc', '--perms', '0555', '--size', '4096', '--tmpfs', '/proc/1', '--remount-ro', '/proc/1'],
    ...['--dev', '/dev'],
    // bubblewrap's /dev is a tmpfs without a size: closed, but for a bounded /dev/shm.
    ...['--perms', '1777', '--size', size, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['--perms', '1777', '--size', size, '--tmpfs', '/tmp', '--perms', '0700', '--dir', INSIDE_HOME],
    ...(places.pack_dir === null ? [] : ['--ro-bind', places.pack_dir, INSIDE_PACK]),
    ...(places.workspace_dir === null ? [] : ['--bind', places.workspace_dir, INSIDE_WORKSPACE]),
    ...(run.egress?.mounts ?? []).flatMap(({ source, target }) => ['--ro-bind', source, target]),
    ...['--remount-ro', '/', '--chdir', cwd, '--clearenv'],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

import type { Limits } from '../port.js';
import { INSIDE_LAUNCHER, INTERPRETER } from './launcher.js';

export const INSIDE_PACK = '/pack';
export const INSIDE_WORKSPACE = '/workspace';

/** Labels of every container that we make; `reap` finds and judges them by these (SPEC S3). */
export const LABEL = 'hcp.sandbox';
export const LABEL_OWNER = 'hcp.sandbox.owner';
export const LABEL_RUN = 'hcp.sandbox.run';
/** When the run must be over, in seconds since 1970: also judges containers of workers that cannot be seen from here. */
export const LABEL_ENDS = 'hcp.sandbox.ends';

/** Docker refuses less. */
const LEAST_MEMORY = 6 * 1024 * 1024;
const PERIOD_US = 100_000;
const LEAST_QUOTA_US = 1000;

/** Docker's own list, and what tells about the host's hardware. */
const MASKED = [
  ...['asound', 'acpi', 'kcore', 'keys', 'latency_stats', 'timer_list', 'timer_stats', 'sched_debug', 'scsi'].map(
    (name) => `/proc/${name}`,
  ),
  '/sys',
];
const READ_ONLY = ['bus', 'fs', 'irq', 'sys', 'sysrq-trigger'].map((name) => `/proc/${name}`);

export interface Mount {
  source: string;
  target: string;
  writable: boolean;
}

export interface ContainerPlan {
  /** `sha256:...`, so that a name that is moved changes nothing. */
  image: string;
  runtime: string | null;
  seccomp: string;
  uid: number;
  /** Nothing else of the machine has this uid, so that its processes can be counted. */
  own_uid: boolean;
  /** The program as seen inside, and its arguments. */
  command: readonly string[];
  mounts: readonly Mount[];
  cwd: string;
  labels: Readonly<Record<string, string>>;
  limits: Limits;
}

/**
 * The body of `POST /containers/create` for one run (SPEC S2): no network, a read-only root, no capabilities and no new
 * ones, our system call filter, an own uid, limits, and nothing of the host but the mounts. It holds no environment: that
 * comes through stdin, because the daemon shows this body to whoever may inspect the container (SPEC B4).
 */
export function containerBody(plan: ContainerPlan): unknown {
  const { limits } = plan;
  const memory = Math.max(limits.memory_bytes, LEAST_MEMORY);
  return {
    Image: plan.image,
    Entrypoint: [INTERPRETER, INSIDE_LAUNCHER],
    Cmd: plan.command,
    User: `${plan.uid}:${plan.uid}`,
    WorkingDir: plan.cwd,
    Hostname: 'sandbox',
    Env: [],
    Labels: plan.labels,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    // Closed for good with the one connection that holds it, which is the worker's.
    StdinOnce: true,
    Tty: false,
    StopSignal: 'SIGKILL',
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      NetworkMode: 'none',
      IpcMode: 'private',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges', `seccomp=${plan.seccomp}`],
      // The launcher is pid 1 and reaps.
      Init: false,
      LogConfig: { Type: 'none' },
      RestartPolicy: { Name: 'no' },
      ...(plan.runtime === null ? {} : { Runtime: plan.runtime }),
      Memory: memory,
      MemorySwap: memory,
      CpuPeriod: PERIOD_US,
      CpuQuota: Math.max(Math.round(limits.cpus * PERIOD_US), LEAST_QUOTA_US),
      // One more for the launcher.
      PidsLimit: limits.pids + 1,
      Ulimits: [
        ulimit('fsize', limits.file_bytes),
        ulimit('core', 0),
        ulimit('nofile', 4096),
        // podman would ask for more than a daemon may have that is limited itself.
        ...(plan.own_uid ? [ulimit('nproc', limits.pids + 1)] : []),
        // POSIX queues would be memory beside every limit.
        ulimit('msgqueue', 0),
      ],
      ShmSize: limits.tmp_bytes,
      Tmpfs: { '/tmp': `rw,exec,nosuid,nodev,size=${limits.tmp_bytes},mode=1777` },
      Mounts: plan.mounts.map(({ source, target, writable }) => ({
        Type: 'bind',
        Source: source,
        Target: target,
        ReadOnly: !writable,
        BindOptions: { Propagation: 'rprivate' },
      })),
      MaskedPaths: MASKED,
      ReadonlyPaths: READ_ONLY,
    },
  };
}

function ulimit(name: string, value: number): { Name: string; Soft: number; Hard: number } {
  return { Name: name, Soft: value, Hard: value };
}

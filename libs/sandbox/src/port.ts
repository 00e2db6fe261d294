import type { WorkspaceMode } from '@hcp/core';
import type { EgressFacts } from './egress/ledger.js';

/** The drivers that exist. */
export type DriverName = 'bubblewrap' | 'docker' | 'native-local';

/** What one run may use (SPEC S2, S5). */
export interface Limits {
  /** Wall-clock time from the spawn, in milliseconds. */
  timeout_ms: number;
  /** Memory of the whole tree, page cache and /tmp included, in bytes. */
  memory_bytes: number;
  /** Processor time, in cores (0.5 is half a core). */
  cpus: number;
  /** Processes and threads of the whole tree. */
  pids: number;
  /** Bytes of each of stdout and stderr; beyond it the tree is killed (`output_limit`). */
  output_bytes: number;
  /** Size of the private /tmp, and of /dev/shm, in bytes. */
  tmp_bytes: number;
  /**
   * The largest single file that the run may write, in bytes (RLIMIT_FSIZE). It bounds each file and not their sum: a
   * quota on the workspace as a whole belongs to the volume that holds it.
   */
  file_bytes: number;
}

export const DEFAULT_LIMITS: Readonly<Limits> = Object.freeze({
  timeout_ms: 60_000,
  memory_bytes: 512 * 1024 * 1024,
  cpus: 1,
  pids: 128,
  output_bytes: 10 * 1024 * 1024,
  tmp_bytes: 64 * 1024 * 1024,
  file_bytes: 256 * 1024 * 1024,
});

/** One run. Every path is a path of the host. */
export interface SandboxSpec {
  /** Unique per run: `^[A-Za-z0-9_-]{1,64}$` (a uuid fits). It labels the cgroup and the folders of the run. */
  run_id: string;
  /** As the pack says: a relative path inside the pack, or the name of a program that the operator allows (SPEC S6). */
  bin: string;
  /** Arguments after the program; passed as they are, never through a shell. */
  argv: string[];
  /** The unpacked pack; read-only in the sandbox, at /pack. */
  pack_dir: string;
  /** A pack that a tenant uploaded: runs only where the operator opted in (SPEC S1). */
  uploaded: boolean;
  /**
   * `pack`: no workspace, the program starts in /pack. `project` and `workspace`: `dir` is a folder of the host, writable at
   * /workspace, handed to the uid of the run; the caller holds its writer lock. `ephemeral`: `dir` is null and a fresh
   * folder is made and removed.
   */
  workspace: { mode: WorkspaceMode; dir: string | null };
  /** The program's whole environment besides PATH, HOME, TMPDIR, LANG and HCP_SANDBOX. */
  env: Record<string, string>;
  limits: Limits;
  /** One of the driver's `images`; refused by drivers that have none. Absent: the driver's own root. */
  image?: string;
  /**
   * Hosts that the program may reach, as its pack declares them: `api.example.com`, `*.example.com`, either with `:port`
   * (SPEC S4). None and absent alike: no network at all.
   */
  network?: readonly string[];
}

/** `lost`: the program began, and what became of it is not known (a container daemon that went away). */
export type OutcomeKind =
  'exited' | 'timeout' | 'output_limit' | 'cancelled' | 'bin_not_allowlisted' | 'failed_to_start' | 'lost';

/** How a run ended. `run` answers with one of these and throws for nothing that a spec can cause. */
export interface SandboxOutcome {
  kind: OutcomeKind;
  /** 0–255 (128 + signal when a signal ended it) for `exited`, 127 for `bin_not_allowlisted`, else null. */
  exit_code: number | null;
  /** Something in the tree was killed for want of memory, whatever the exit code says. */
  oom: boolean;
  /** Text as `OutputDecoder` makes it: valid UTF-8 as it is, other bytes and NUL as `\xNN`. */
  stdout: string;
  stderr: string;
  /** Output was cut at `output_bytes`. */
  truncated: boolean;
  duration_ms: number;
  /** For `bin_not_allowlisted`, `failed_to_start` and `lost`: why, without any value. */
  error?: string;
  /** Of a run that may reach hosts: which it reached and which it was refused. */
  egress?: EgressFacts;
}

export type OutputStream = 'stdout' | 'stderr';

export interface RunOptions {
  /** Aborting kills the whole tree; the outcome is `cancelled`. */
  signal: AbortSignal;
  /**
   * Values that must not leave the sandbox: hidden in both streams, in every usual spelling, before anything is kept or
   * shown (SPEC B4). Those shorter than `MIN_SECRET_LENGTH` are not.
   */
  secrets?: readonly string[];
  /**
   * Decoded output as it comes, secrets hidden: for each stream the beginning of what the outcome has in the end, and nothing
   * of a program that could not be started. Must not throw.
   */
  onOutput?: (stream: OutputStream, text: string) => void;
}

/** One way of isolating a program (SPEC S1). */
export interface SandboxDriver {
  readonly name: DriverName;
  /** What the driver found and what it lacks on this machine, for people (`hcp.doctor`, readiness). */
  readonly notes: readonly string[];
  /** Images that the operator lets packs name, by name; empty for drivers that run none. */
  readonly images: readonly string[];
  /** It can let a program reach declared hosts and no others; where it cannot, such packs are refused (SPEC S4). */
  readonly egress: boolean;
  run(spec: SandboxSpec, opts: RunOptions): Promise<SandboxOutcome>;
  /** Kills and removes what workers that died left behind (SPEC S3). Call at start and every minute. Answers how many. */
  reap(): Promise<number>;
  /** Frees what the driver holds; runs under way are killed. */
  close(): Promise<void>;
}

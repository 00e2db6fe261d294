import { spawn } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { isOrphan, ownLabel, runName } from '../host/label.js';
import { removeTree } from '../host/remove-tree.js';
import { notAllowlisted, resolveBin } from '../policy/bins.js';
import { refuseEnvironment } from '../policy/environment.js';
import { refuseSpec } from '../policy/spec.js';
import type { RunOptions, SandboxDriver, SandboxOutcome, SandboxSpec } from '../port.js';
import { notRun } from '../process/outcome.js';
import { codeOf, endOf, supervise } from '../process/supervise.js';

export interface NativeLocalOptions {
  allowed_bins: Readonly<Record<string, string>>;
  data_dir: string;
  node_bin: string;
}

/**
 * No isolation: the program runs as the worker's user with the host's files and network, and without limits on memory,
 * processor and processes. Only time, output and the environment are bounded. The process group is killed at the end; a
 * child that calls `setsid` escapes. For development, by explicit choice (SPEC S1); uploaded packs are refused.
 */
export class NativeLocalDriver implements SandboxDriver {
  readonly name = 'native-local';
  readonly images = [];
  readonly notes = ['programs run without isolation, as the worker itself'];
  /** It could keep no program from any host. */
  readonly egress = false;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #label = ownLabel();
  readonly #homes: string;

  constructor(private readonly options: NativeLocalOptions) {
    this.#homes = join(options.data_dir, 'native-local');
  }

  async run(spec: SandboxSpec, options: RunOptions): Promise<SandboxOutcome> {
    const refused = refuseSpec(spec);
    if (refused !== null) return notRun('failed_to_start', `sandbox: ${refused}`);
    if (spec.network?.length) return notRun('failed_to_start', 'sandbox: native-local cannot hold a pack to its hosts');
    if (spec.uploaded) return notRun('failed_to_start', 'sandbox: native-local never runs packs that tenants upload');
    if (spec.image !== undefined) return notRun('failed_to_start', 'sandbox: native-local runs no images');
    const bin = await resolveBin(spec.bin, spec.pack_dir, new Map(Object.entries(this.options.allowed_bins)));
    if (bin === null) return notRun('bin_not_allowlisted', notAllowlisted(spec.bin));
    const variable = refuseEnvironment(spec.env, bin.owner);
    if (variable !== null) return notRun('failed_to_start', `sandbox: ${variable}`);
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    if (signal.aborted) return notRun('cancelled');
    const program = bin.owner === 'pack' ? join(spec.pack_dir, bin.path) : bin.path;
    const running = this.#execute(spec, { ...options, signal }, program);
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  /** Removes folders of dead workers; their processes cannot be found. */
  async reap(): Promise<number> {
    let reaped = 0;
    for (const entry of await readdir(this.#homes).catch(() => [])) {
      const name = entry.replace(/\.trash$/, '');
      if (!isOrphan(name)) continue;
      await removeTree(join(this.#homes, name));
      reaped += 1;
    }
    return reaped;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
  }

  async #execute(spec: SandboxSpec, options: RunOptions, program: string): Promise<SandboxOutcome> {
    const home = join(this.#homes, runName(this.#label, spec.run_id));
    const started = performance.now();
    try {
      await mkdir(join(home, 'tmp'), { recursive: true });
      await mkdir(join(home, 'ephemeral'));
      const cwd = { pack: spec.pack_dir, ephemeral: join(home, 'ephemeral') } as Record<string, string>;
      const child = spawn(program, spec.argv, {
        cwd: cwd[spec.workspace.mode] ?? spec.workspace.dir ?? home,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: `${dirname(this.options.node_bin)}:/usr/local/bin:/usr/bin:/bin`,
          HOME: home,
          TMPDIR: join(home, 'tmp'),
          LANG: 'C.UTF-8',
          ...spec.env,
          HCP_SANDBOX: 'native-local',
        },
      });
      const killGroup = (): void => {
        try {
          if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
        } catch {
          // The group is empty.
        }
      };
      const result = await supervise({
        ended: endOf(child),
        stdout: child.stdout,
        stderr: child.stderr,
        limits: spec.limits,
        options,
        launcher_words: [],
        killNow: killGroup,
        destroyTree: () => Promise.resolve(killGroup()),
      });
      const duration_ms = performance.now() - started;
      if (result.spawn_error !== null) {
        return notRun('failed_to_start', `sandbox: cannot start "${spec.bin}": ${result.spawn_error}`, duration_ms);
      }
      const { stdout, stderr, truncated, stopped } = result;
      const exit_code = stopped === null ? (result.exit_code ?? 128 + signalNumber(result.signal)) : null;
      return { kind: stopped ?? 'exited', exit_code, oom: false, stdout, stderr, truncated, duration_ms };
    } catch (error) {
      return notRun('failed_to_start', `sandbox: cannot start "${spec.bin}": ${codeOf(error)}`);
    } finally {
      await removeTree(home).catch(() => undefined);
    }
  }
}

function signalNumber(signal: NodeJS.Signals | null): number {
  return signal === null ? 0 : constants.signals[signal];
}

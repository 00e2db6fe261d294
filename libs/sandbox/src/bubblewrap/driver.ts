import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cgroups, RunCgroup } from '../cgroup/port.js';
import type { EgressHost, RunEgress } from '../egress/run-egress.js';
import { firstClosedFolder } from '../host/access.js';
import type { Fifos, OutputPipe } from '../host/fifos.js';
import { runName } from '../host/label.js';
import { removeTree } from '../host/remove-tree.js';
import { Slots, type UidRange } from '../host/slots.js';
import { handedOver } from '../host/workspace.js';
import { notAllowlisted, resolveBin } from '../policy/bins.js';
import { refuseEnvironment } from '../policy/environment.js';
import { refuseSpec } from '../policy/spec.js';
import type { Limits, RunOptions, SandboxDriver, SandboxOutcome, SandboxSpec } from '../port.js';
import { notRun } from '../process/outcome.js';
import { codeOf, endOf, supervise, type Supervised } from '../process/supervise.js';
import { makeEphemeral, reapOrphans } from '../host/leftovers.js';
import { bwrapOptions, INSIDE_PACK, type Layout, type RunPlaces } from './layout.js';
import { exitCodeIn, launch, type Launched, SECCOMP_FD, STATUS_FD, type Tools } from './launch.js';
import { LAUNCHER_WORDS, startFailure } from './start-failure.js';
import { fallbackRlimits } from './rlimits.js';

const TREE_DEADLINE_MS = 3000;

export interface BubblewrapParts {
  tools: Tools;
  layout: Layout;
  seccomp: Buffer;
  cgroups: Cgroups | null;
  /** Uids to drop to; null when the worker itself is unprivileged. */
  uids: UidRange | null;
  slots: number;
  /** Folders below data_dir. */
  dirs: { ephemeral: string; runtime: string; own: string; empty: string };
  fifos: Fifos;
  egress: EgressHost;
  inherited: readonly number[];
  label: string;
  allow_uploaded: boolean;
  notes: readonly string[];
}

/** Runs programs in bubblewrap (SPEC S1–S3, S5, S6). Made by `createBubblewrap`; see docs/adr/0003-sandbox.md. */
export class BubblewrapDriver implements SandboxDriver {
  readonly name = 'bubblewrap';
  readonly images = [];
  readonly notes: readonly string[];
  readonly egress = true;
  readonly #slots: Slots;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  /** Names of runs that could not be removed at once; `reap` tries again. */
  readonly #leftovers = new Set<string>();

  /** Runs whose tree could not be ended in time. */
  readonly #stuck = new Set<string>();

  constructor(private readonly parts: BubblewrapParts) {
    this.notes = parts.notes;
    this.#slots = new Slots(parts.slots);
  }

  async run(spec: SandboxSpec, options: RunOptions): Promise<SandboxOutcome> {
    const refused = refuseSpec(spec);
    if (refused !== null) return notRun('failed_to_start', `sandbox: ${refused}`);
    if (spec.uploaded && !this.parts.allow_uploaded) {
      return notRun('failed_to_start', 'sandbox: packs that tenants upload run here only when the operator opts in');
    }
    if (spec.image !== undefined) return notRun('failed_to_start', 'sandbox: bubblewrap runs no images');
    const bin = await resolveBin(spec.bin, spec.pack_dir, this.parts.layout.bins);
    if (bin === null) return notRun('bin_not_allowlisted', notAllowlisted(spec.bin));
    const variable = refuseEnvironment(spec.env, bin.owner);
    if (variable !== null) return notRun('failed_to_start', `sandbox: ${variable}`);
    const program = bin.owner === 'pack' ? join(INSIDE_PACK, bin.path) : bin.path;
    return this.#track(spec, options, [program, ...spec.argv]);
  }

  /** A run of `true` with everything that other runs have; null when it works, else why not. */
  async probe(run_id: string, limits: Limits): Promise<string | null> {
    const spec: SandboxSpec = {
      run_id,
      bin: 'true',
      argv: [],
      pack_dir: this.parts.dirs.empty,
      uploaded: false,
      workspace: { mode: 'ephemeral', dir: null },
      env: {},
      limits,
    };
    const outcome = await this.#track(spec, { signal: this.#closing.signal }, ['/bin/true']);
    if (outcome.kind === 'exited' && outcome.exit_code === 0) return null;
    return outcome.error ?? `a trial run ended as ${outcome.kind}, exit code ${outcome.exit_code}`;
  }

  async reap(): Promise<number> {
    return reapOrphans(this.parts, this.#leftovers);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
    await reapOrphans(this.parts, this.#leftovers);
    await this.parts.egress.close();
    await removeTree(this.parts.dirs.own);
    await this.parts.uids?.release();
  }

  async #track(spec: SandboxSpec, options: RunOptions, command: string[]): Promise<SandboxOutcome> {
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    const running = this.#inSlot(spec, { ...options, signal }, command);
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  async #inSlot(spec: SandboxSpec, options: RunOptions, command: string[]): Promise<SandboxOutcome> {
    const { uids } = this.parts;
    const owner = uids !== null && spec.workspace.dir !== null ? await ownerOf(spec.workspace.dir) : null;
    const slot = await this.#slots.acquire(
      options.signal,
      owner === null || uids === null ? undefined : owner - uids.first,
    );
    if (slot === null) return notRun('cancelled');
    const name = runName(this.parts.label, spec.run_id);
    const uid = uids === null ? null : uids.first + slot;
    try {
      const places = await this.#places(spec, options.signal, name, uid);
      if ('ended' in places) return places.ended;
      return await this.#execute(spec, options, command, { name, slot, uid, places });
    } catch (error) {
      return notRun('failed_to_start', `sandbox: cannot be set up (${codeOf(error)})`);
    } finally {
      if (spec.workspace.mode === 'ephemeral') {
        await removeTree(join(this.parts.dirs.ephemeral, name)).catch(() => this.#leftovers.add(name));
      }
      // A slot whose tree is still there would lend its uid and its pipes to it.
      if (!this.#stuck.delete(name)) this.#slots.release(slot);
    }
  }

  async #places(
    spec: SandboxSpec,
    signal: AbortSignal,
    name: string,
    uid: number | null,
  ): Promise<RunPlaces | { ended: SandboxOutcome }> {
    const { mode, dir } = spec.workspace;
    if (mode === 'pack') return { pack_dir: spec.pack_dir, workspace_dir: null };
    if (mode === 'ephemeral') {
      return { pack_dir: spec.pack_dir, workspace_dir: await makeEphemeral(this.parts.dirs.ephemeral, name, uid) };
    }
    const ended = await handedOver(spec, signal, uid);
    return ended === null ? { pack_dir: spec.pack_dir, workspace_dir: dir } : { ended };
  }

  async #execute(
    spec: SandboxSpec,
    options: RunOptions,
    command: string[],
    at: { name: string; slot: number; uid: number | null; places: RunPlaces },
  ): Promise<SandboxOutcome> {
    const cgroup = (await this.parts.cgroups?.create(at.name, spec.limits)) ?? null;
    const started = performance.now();
    const pipes: OutputPipe[] = [];
    let egress: RunEgress | null = null;
    try {
      if (spec.network?.length) egress = await this.parts.egress.open(String(at.slot), at.uid, spec.network);
      const rlimits = cgroup === null ? await fallbackRlimits(spec.limits, at.uid ?? process.getuid?.() ?? 0) : [];
      for (const which of ['out', 'err'] as const) pipes.push(this.parts.fifos.open(at.slot, which));
      const [stdout, stderr] = pipes as [OutputPipe, OutputPipe];
      const launched = launch({
        tools: this.parts.tools,
        uid: at.uid,
        rlimits,
        limits: spec.limits,
        command: egress?.wrap(command) ?? command,
        output: { stdout, stderr },
        inherited: this.parts.inherited,
      });
      const watched = supervise({
        ended: endOf(launched.child),
        stdout: stdout.reader,
        stderr: stderr.reader,
        limits: spec.limits,
        options,
        launcher_words: LAUNCHER_WORDS,
        // The monitor's death takes pid 1 of the sandbox along (--die-with-parent), and that the whole pid namespace.
        killNow: () => void launched.child.kill('SIGKILL'),
        destroyTree: async () => {
          if ((await cgroup?.kill(TREE_DEADLINE_MS)) === false) this.#stuck.add(at.name);
        },
      });
      await this.#begin(launched, spec, { ...at, cgroup, egress });
      const result = await watched;
      const oom = (await cgroup?.oomKilled()) ?? false;
      const outcome = await this.#conclude(spec, at, result, launched.status(), oom, performance.now() - started);
      return egress === null ? outcome : { ...outcome, egress: await egress.close() };
    } catch (error) {
      if (codeOf(error) !== 'E2BIG') throw error;
      return notRun('failed_to_start', 'sandbox: the arguments are too long');
    } finally {
      await egress?.close();
      for (const pipe of pipes) pipe.reader.destroy();
      await cgroup?.remove().catch(() => this.#leftovers.add(at.name));
    }
  }

  async #begin(
    launched: Launched,
    spec: SandboxSpec,
    { places, cgroup, egress }: { places: RunPlaces; cgroup: RunCgroup | null; egress: RunEgress | null },
  ): Promise<void> {
    const { pid } = launched.child;
    if (pid === undefined) return;
    try {
      await cgroup?.join(pid);
    } catch {
      // Never without its limits. When it has ended already, its exit says why.
      launched.child.kill('SIGKILL');
      return;
    }
    const run = { env: spec.env, limits: spec.limits, seccomp_fd: SECCOMP_FD, status_fd: STATUS_FD, egress };
    launched.begin(bwrapOptions(this.parts.layout, places, run), this.parts.seccomp);
  }

  async #conclude(
    spec: SandboxSpec,
    at: { uid: number | null; places: RunPlaces },
    result: Supervised,
    status: string,
    oom: boolean,
    duration_ms: number,
  ): Promise<SandboxOutcome> {
    const { stdout, stderr, truncated, stopped } = result;
    const common = { oom, stdout, stderr, truncated, duration_ms };
    if (stopped !== null) return { kind: stopped, exit_code: null, ...common };
    const code = exitCodeIn(status);
    if (code !== undefined) return { kind: 'exited', exit_code: code, ...common };
    // bubblewrap itself was killed: by the kernel for want of memory, or by someone on the host.
    if (result.signal !== null && status.includes('child-pid')) return { kind: 'exited', exit_code: 137, ...common };
    const closed = at.uid === null ? null : await this.#closedPlace(at.places, at.uid);
    const error = closed ?? startFailure(spec.bin, result);
    return { ...notRun('failed_to_start', error, duration_ms), oom };
  }

  async #closedPlace(places: RunPlaces, uid: number): Promise<string | null> {
    for (const [what, path] of Object.entries({ pack: places.pack_dir, workspace: places.workspace_dir })) {
      if (path === null) continue;
      const closed = await firstClosedFolder(path, uid).catch(() => path);
      if (closed !== null) return `sandbox: the ${what} lies in a folder that the sandbox's user may not enter`;
    }
    return null;
  }
}

async function ownerOf(folder: string): Promise<number | null> {
  return stat(folder).then(
    (info) => info.uid,
    () => null,
  );
}

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { EgressHost, RunEgress } from '../egress/run-egress.js';
import { makeEphemeral, reapOrphans } from '../host/leftovers.js';
import { runName } from '../host/label.js';
import { removeTree } from '../host/remove-tree.js';
import { Slots, type UidRange } from '../host/slots.js';
import { handedOver } from '../host/workspace.js';
import { notAllowlisted, resolveBin } from '../policy/bins.js';
import { refuseEnvironment } from '../policy/environment.js';
import { refuseSpec } from '../policy/spec.js';
import type { RunOptions, SandboxDriver, SandboxOutcome, SandboxSpec } from '../port.js';
import { notRun } from '../process/outcome.js';
import { codeOf } from '../process/supervise.js';
import {
  containerBody,
  INSIDE_PACK,
  INSIDE_WORKSPACE,
  LABEL,
  LABEL_ENDS,
  LABEL_OWNER,
  LABEL_RUN,
  type Mount,
} from './container.js';
import type { Engine } from './engine.js';
import { reapContainers, removeContainer } from './reap.js';
import { startContainer } from './start.js';
import { watchContainer } from './watch.js';
import type { Warden } from './warden.js';
import { containerFailure } from './start-failure.js';

/** Linux's MAX_ARG_STRLEN. */
const LONGEST_ARGUMENT = 131_072;

export interface DockerParts {
  engine: Engine;
  runtime: string | null;
  seccomp: string;
  /** The image of packs that name none, and those that packs may name: `sha256:...` ids. */
  image: string;
  images: ReadonlyMap<string, string>;
  /** Programs that operators allow: name to path inside. */
  bins: ReadonlyMap<string, string>;
  /** Mounts of every container: the launcher, node and allowed programs from outside the distribution. */
  mounts: readonly Mount[];
  /** Uids to drop to; null when the worker itself is unprivileged and its own is taken. */
  uids: UidRange | null;
  slots: number;
  /** Folders below data_dir. `users` holds a passwd and a group file for each uid. */
  dirs: { ephemeral: string; runtime: string; own: string; empty: string; users: string };
  egress: EgressHost;
  warden: Warden;
  label: string;
  allow_uploaded: boolean;
  notes: readonly string[];
}

/** Runs programs in containers of a local daemon (SPEC S1–S3, S5, S6). Made by `createDocker`; see docs/adr/0008-docker-driver.md. */
export class DockerDriver implements SandboxDriver {
  readonly name = 'docker';
  readonly notes: string[];
  readonly images: readonly string[];
  readonly egress = true;
  readonly #slots: Slots;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  /** Containers and folders that could not be removed at once; `reap` tries again. */
  readonly #containers = new Set<string>();
  readonly #folders = new Set<string>();
  /** Slots of runs whose tree could not be ended in time, by container. */
  readonly #stuck = new Map<string, number>();

  constructor(private readonly parts: DockerParts) {
    this.notes = [...parts.notes];
    this.images = [...parts.images.keys()];
    this.#slots = new Slots(parts.slots);
  }

  async run(spec: SandboxSpec, options: RunOptions): Promise<SandboxOutcome> {
    const refused = refuseSpec(spec);
    if (refused !== null) return notRun('failed_to_start', `sandbox: ${refused}`);
    if (spec.uploaded && !this.parts.allow_uploaded) {
      return notRun('failed_to_start', 'sandbox: packs that tenants upload run here only when the operator opts in');
    }
    const image = spec.image === undefined ? this.parts.image : this.parts.images.get(spec.image);
    if (image === undefined) return notRun('failed_to_start', "sandbox: the image is not on the operator's list");
    const bin = await resolveBin(spec.bin, spec.pack_dir, this.parts.bins);
    if (bin === null) return notRun('bin_not_allowlisted', notAllowlisted(spec.bin));
    const variable = refuseEnvironment(spec.env, bin.owner);
    if (variable !== null) return notRun('failed_to_start', `sandbox: ${variable}`);
    if (spec.argv.some((arg) => Buffer.byteLength(arg) >= LONGEST_ARGUMENT)) {
      return notRun('failed_to_start', 'sandbox: the arguments are too long');
    }
    const program = bin.owner === 'pack' ? join(INSIDE_PACK, bin.path) : bin.path;
    return this.start(spec, options, image, [program, ...spec.argv]);
  }

  /** Runs a command in a container without asking whether it may be run; for `run` and for trial runs. */
  async start(spec: SandboxSpec, options: RunOptions, image: string, command: string[]): Promise<SandboxOutcome> {
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    return this.#track(this.#inSlot(spec, { ...options, signal }, image, command));
  }

  async reap(): Promise<number> {
    const containers = await reapContainers(this.parts.engine, this.#containers, Date.now() / 1000);
    for (const [name, slot] of this.#stuck) {
      if (this.#containers.has(name)) continue;
      this.#stuck.delete(name);
      this.#slots.release(slot);
    }
    return containers + (await reapOrphans({ cgroups: null, dirs: this.parts.dirs }, this.#folders));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    await this.reap().catch(() => undefined);
    await this.parts.egress.close();
    await removeTree(this.parts.dirs.own);
    this.parts.warden.close();
    await this.parts.uids?.release();
    this.parts.engine.close();
  }

  #track<T>(running: Promise<T>): Promise<T> {
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  async #inSlot(spec: SandboxSpec, options: RunOptions, image: string, command: string[]): Promise<SandboxOutcome> {
    const { uids, label, dirs } = this.parts;
    const owner = uids !== null && spec.workspace.dir !== null ? await ownerOf(spec.workspace.dir) : null;
    const slot = await this.#slots.acquire(
      options.signal,
      owner === null || uids === null ? undefined : owner - uids.first,
    );
    if (slot === null) return notRun('cancelled');
    const name = runName(label, spec.run_id);
    const uid = uids === null ? (process.getuid?.() ?? 0) : uids.first + slot;
    try {
      const workspace = await this.#workspace(spec, options.signal, name, uids === null ? null : uid);
      if ('ended' in workspace) return workspace.ended;
      const at = { image, command, name: `hcp-${name}`, uid, workspace: workspace.dir };
      if (!spec.network?.length) return await this.#execute(spec, options, at, null);
      const egress = await this.parts.egress.open(`docker-${slot}`, uids === null ? null : uid, spec.network);
      try {
        const outcome = await this.#execute(spec, options, { ...at, command: egress.wrap(command) }, egress);
        return { ...outcome, egress: await egress.close() };
      } finally {
        await egress.close();
      }
    } catch (error) {
      return notRun('failed_to_start', `sandbox: cannot be set up (${codeOf(error)})`);
    } finally {
      if (spec.workspace.mode === 'ephemeral') {
        await removeTree(join(dirs.ephemeral, name)).catch(() => this.#folders.add(name));
      }
      // A slot whose tree may still be there would lend its uid to it; `reap` frees it.
      if (this.#containers.has(`hcp-${name}`)) this.#stuck.set(`hcp-${name}`, slot);
      else this.#slots.release(slot);
    }
  }

  async #workspace(
    spec: SandboxSpec,
    signal: AbortSignal,
    name: string,
    uid: number | null,
  ): Promise<{ dir: string | null } | { ended: SandboxOutcome }> {
    const { mode, dir } = spec.workspace;
    if (mode === 'pack') return { dir: null };
    if (mode === 'ephemeral') return { dir: await makeEphemeral(this.parts.dirs.ephemeral, name, uid) };
    const ended = await handedOver(spec, signal, uid);
    return ended === null ? { dir } : { ended };
  }

  async #execute(
    spec: SandboxSpec,
    options: RunOptions,
    where: { image: string; command: string[]; name: string; uid: number; workspace: string | null },
    egress: RunEgress | null,
  ): Promise<SandboxOutcome> {
    const { engine, runtime, seccomp, label } = this.parts;
    const { name, image, command, uid, workspace } = where;
    const began = performance.now();
    const body = containerBody({
      ...{ image, runtime, seccomp, uid, command, own_uid: this.parts.uids !== null, limits: spec.limits },
      mounts: [...this.#mounts(spec.pack_dir, workspace, uid), ...(egress?.mounts ?? []).map(readOnly)],
      cwd: workspace === null ? INSIDE_PACK : INSIDE_WORKSPACE,
      labels: {
        [LABEL]: '1',
        [LABEL_OWNER]: label,
        [LABEL_RUN]: spec.run_id,
        [LABEL_ENDS]: String(Math.ceil((Date.now() + spec.limits.timeout_ms) / 1000)),
      },
    });
    const started = await startContainer(engine, name, body, { ...spec.env, ...egress?.env }, options.signal);
    if (!started.ok) {
      await this.#remove(name);
      if (started.why === 'cancelled') return notRun('cancelled', undefined, performance.now() - began);
      return notRun('failed_to_start', containerFailure(spec.bin, started.why), performance.now() - began);
    }
    const remove = (): Promise<void> => this.#track(this.#remove(name));
    return watchContainer({ engine, name, started, spec, options, remove, began });
  }

  #mounts(pack_dir: string, workspace: string | null, uid: number): Mount[] {
    const { mounts, dirs } = this.parts;
    const fixed = [
      { source: join(dirs.users, `${uid}.passwd`), target: '/etc/passwd' },
      { source: join(dirs.users, `${uid}.group`), target: '/etc/group' },
      { source: pack_dir, target: INSIDE_PACK },
    ];
    return [
      ...mounts,
      ...fixed.map(readOnly),
      ...(workspace === null ? [] : [{ source: workspace, target: INSIDE_WORKSPACE, writable: true }]),
    ];
  }

  /** Kills and removes; a container that stays keeps its slot and is left to `reap`. */
  async #remove(name: string): Promise<void> {
    if (!(await removeContainer(this.parts.engine, name).catch(() => false))) this.#containers.add(name);
  }
}

function readOnly({ source, target }: { source: string; target: string }): Mount {
  return { source, target, writable: false };
}

async function ownerOf(folder: string): Promise<number | null> {
  return stat(folder).then(
    (info) => info.uid,
    () => null,
  );
}

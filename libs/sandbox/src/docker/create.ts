import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EgressHost } from '../egress/run-egress.js';
import { ownLabel } from '../host/label.js';
import { openFolder, publishNode } from '../host/runtime.js';
import { removeTree } from '../host/remove-tree.js';
import { UidRange } from '../host/slots.js';
import type { DockerOptions, SelectOptions } from '../options.js';
import { DEFAULT_LIMITS } from '../port.js';
import { dockerSeccomp } from '../seccomp/docker-profile.js';
import { planBins } from './bins.js';
import { DockerDriver } from './driver.js';
import { at, Engine, messageOf } from './engine.js';
import { INSIDE_LAUNCHER, INTERPRETER, launcherText } from './launcher.js';
import { Warden } from './warden.js';

const DEFAULT_SLOTS = 16;
const START_DOCKER = 'apt-get install docker.io and start it, or set HCP_DOCKER_HOST';
const BUILD_IMAGE = 'node scripts/sandbox-image.mjs, or set HCP_SANDBOX_IMAGE';

export type Created = { ok: true; driver: DockerDriver } | { ok: false; reason: string; fix: string };
type CreateOptions = Omit<SelectOptions, 'requested' | 'production' | 'docker' | 'allow_uploaded'> & {
  allow_uploaded: boolean;
};

let instances = 0;

/** Looks at the daemon and its images, prepares data_dir and proves by a run that containers work here. Never throws. */
export async function createDocker(options: CreateOptions, docker: DockerOptions): Promise<Created> {
  const { arch } = process;
  if (process.platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64')) {
    return {
      ok: false,
      reason: `no sandbox for ${process.platform} on ${arch}`,
      fix: 'use Linux on x86_64 or aarch64',
    };
  }
  const socket = /^unix:\/\/(\/.+)$/.exec(docker.host)?.[1];
  if (socket === undefined) {
    const fix = 'set it to unix:///path/of/the/socket';
    return { ok: false, reason: 'HCP_DOCKER_HOST is no local socket, and packs are folders of this machine', fix };
  }
  const engine = new Engine(socket);
  let uids: UidRange | null = null;
  try {
    const lacking = await lacks(engine, docker.runtime);
    if (lacking !== null) return failed(engine, lacking);
    const images = await findImages(engine, docker);
    if (!images.ok) return failed(engine, images);
    if (process.getuid?.() === 0) {
      uids = await UidRange.claim(options.data_dir);
      if (uids === null) {
        return failed(engine, { reason: 'every range of sandbox uids is in use', fix: 'stop other workers' });
      }
    }
    const made = await assemble(options, docker, { engine, uids, seccomp: dockerSeccomp(arch), arch }, images);
    if (!made.ok) await uids?.release();
    return made;
  } catch (error) {
    await uids?.release();
    const why = error instanceof Error ? error.message : 'unknown';
    return failed(engine, { reason: `docker cannot be used (${why})`, fix: START_DOCKER });
  }
}

function failed(engine: Engine, { reason, fix }: { reason: string; fix: string }): Created {
  engine.close();
  return { ok: false, reason, fix };
}

/** What the daemon cannot do that every run needs; null when it can all. */
async function lacks(engine: Engine, runtime: string | null): Promise<{ reason: string; fix: string } | null> {
  const info = await engine.call('GET', '/info');
  if (info.status !== 200) return { reason: `docker does not answer (${messageOf(info)})`, fix: START_DOCKER };
  for (const limit of ['MemoryLimit', 'PidsLimit', 'CpuCfsQuota']) {
    if (at(info.body, limit) !== true) {
      return { reason: `docker here has no ${limit}`, fix: 'give the daemon the cgroup controllers memory, pids, cpu' };
    }
  }
  const security = at(info.body, 'SecurityOptions');
  if (!Array.isArray(security) || !security.some((option) => String(option).startsWith('name=seccomp'))) {
    return { reason: 'docker here has no seccomp', fix: 'use a kernel and a docker with seccomp' };
  }
  const runtimes = at(info.body, 'Runtimes');
  if (runtime !== null && at(runtimes, runtime) === undefined) {
    return {
      reason: `docker has no runtime ${runtime}`,
      fix: 'see docs/guides/gvisor.md, or leave out HCP_DOCKER_RUNTIME',
    };
  }
  return null;
}

async function isPodman(engine: Engine): Promise<boolean> {
  const components = at((await engine.call('GET', '/version')).body, 'Components');
  return Array.isArray(components) && components.some((component) => /podman/i.test(String(at(component, 'Name'))));
}

type FoundImages =
  { ok: true; image: string; images: Map<string, string> } | { ok: false; reason: string; fix: string };

/** Ids of the images; what is not on the machine is never fetched. */
async function findImages(engine: Engine, docker: DockerOptions): Promise<FoundImages> {
  const idOf = async (reference: string): Promise<string | null> => {
    const { body } = await engine.call('GET', `/images/${encodeURIComponent(reference)}/json`);
    const id = at(body, 'Id');
    if (typeof id !== 'string') return null;
    return id.startsWith('sha256:') ? id : `sha256:${id}`;
  };
  const image = await idOf(docker.image);
  if (image === null) return { ok: false, reason: `docker has no image ${docker.image}`, fix: BUILD_IMAGE };
  const images = new Map<string, string>();
  for (const [name, digest] of Object.entries(docker.images)) {
    const id = await idOf(digest);
    if (id === null) return { ok: false, reason: `docker has no image for ${name}`, fix: 'docker pull or load it' };
    images.set(name, id);
  }
  return { ok: true, image, images };
}

async function assemble(
  options: CreateOptions,
  docker: DockerOptions,
  found: { engine: Engine; uids: UidRange | null; seccomp: string; arch: 'x64' | 'arm64' },
  { image, images }: { image: string; images: Map<string, string> },
): Promise<Created> {
  const { engine, uids, seccomp, arch } = found;
  const runtime = await openFolder(join(options.data_dir, 'runtime'));
  const ephemeral = await openFolder(join(options.data_dir, 'ephemeral'));
  // More than one driver may live in a process; each has folders of its own.
  const label = ownLabel();
  const instance = (instances += 1);
  const own = join(runtime, `own-${label}.docker-${instance}`);
  await removeTree(own);
  await openFolder(own);
  const slots = Math.min(options.slots ?? DEFAULT_SLOTS, UidRange.size);
  const users = await openFolder(join(own, 'users'));
  await writeUsers(users, uids === null ? [process.getuid?.() ?? 0] : range(uids.first, slots));
  const launcher = join(own, 'launch');
  // Docker would copy the host's.
  const resolver = join(own, 'resolv.conf');
  for (const [path, text] of Object.entries({ [launcher]: launcherText(arch), [resolver]: '' })) {
    await writeFile(path, text);
    await chmod(path, 0o644);
  }
  // podman takes the file's name where docker takes what is in it.
  const profile = join(own, 'seccomp.json');
  await writeFile(profile, seccomp);
  const node_path = await publishNode(options.node_bin, runtime, label);
  const egress = await EgressHost.create(join(own, 'egress'), {
    allow_private: options.allow_private_hosts ?? [],
    ...(options.resolve_host && { resolve: options.resolve_host }),
  });
  const bins = await planBins(options.allowed_bins);
  const missing = [...bins.missing];
  const known = new Map(bins.inside);
  const warden = new Warden(options.node_bin, engine.socket, label);
  const driver = new DockerDriver({
    ...{ engine, runtime: docker.runtime, image, images, uids, slots, label, egress, warden, bins: known },
    seccomp: (await isPodman(engine)) ? profile : seccomp,
    mounts: [
      { source: launcher, target: INSIDE_LAUNCHER, writable: false },
      { source: resolver, target: '/etc/resolv.conf', writable: false },
      { source: node_path, target: '/usr/local/bin/node', writable: false },
      ...bins.mounts,
    ],
    dirs: { runtime, ephemeral, own, users, empty: await openFolder(join(own, 'empty')) },
    allow_uploaded: options.allow_uploaded,
    notes: [
      `docker with ${docker.runtime ?? 'its default runtime'}, image ${image.slice(0, 19)}`,
      uids === null
        ? 'sandboxes share the uid of the worker'
        : `sandboxes have uids ${uids.first} to ${uids.first + UidRange.size - 1}`,
    ],
  });
  const trial = await probe(driver, image, join(own, 'empty'), `probe-${instance}`, bins.inside);
  if (!trial.ok) {
    await driver.close();
    return { ok: false, reason: `docker does not work here: ${trial.why}`, fix: START_DOCKER };
  }
  for (const name of trial.absent) known.delete(name);
  missing.push(...trial.absent);
  driver.notes.push(...missing.map((name) => `allowed bin ${name} is not on this machine`));
  return { ok: true, driver };
}

/** A run with everything that others have; answers which of the allowed programs the image lacks. */
async function probe(
  driver: DockerDriver,
  image: string,
  empty: string,
  run_id: string,
  bins: ReadonlyMap<string, string>,
): Promise<{ ok: true; absent: string[] } | { ok: false; why: string }> {
  const outcome = await driver.start(
    {
      ...{ run_id, bin: 'perl', argv: [], pack_dir: empty, uploaded: false, env: {}, limits: DEFAULT_LIMITS },
      workspace: { mode: 'ephemeral', dir: null },
    },
    { signal: new AbortController().signal },
    image,
    [INTERPRETER, '-e', 'for (@ARGV) { print -x $_ && !-d _ ? 1 : 0 }', '--', ...bins.values()],
  );
  if (outcome.kind !== 'exited' || outcome.exit_code !== 0) {
    return { ok: false, why: outcome.error ?? `a trial run ended as ${outcome.kind}, exit code ${outcome.exit_code}` };
  }
  return { ok: true, absent: [...bins.keys()].filter((_, index) => outcome.stdout[index] !== '1') };
}

/** Names for the uids that programs see themselves as: on any image, and without a word of the host's users. */
async function writeUsers(folder: string, uids: readonly number[]): Promise<void> {
  for (const uid of uids) {
    const files = {
      passwd:
        'root:x:0:0:root:/:/usr/sbin/nologin\n' +
        `sandbox:x:${uid}:${uid}:sandbox:/tmp/home:/bin/sh\n` +
        'nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n',
      group: `root:x:0:\nsandbox:x:${uid}:\nnogroup:x:65534:\n`,
    };
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, `${uid}.${name}`);
      await writeFile(path, text);
      await chmod(path, 0o644);
    }
  }
}

function range(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

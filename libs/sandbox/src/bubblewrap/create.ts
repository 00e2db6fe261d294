import { join } from 'node:path';
import { detectCgroups } from '../cgroup/detect.js';
import { EgressHost } from '../egress/run-egress.js';
import { firstClosedFolder } from '../host/access.js';
import { Fifos } from '../host/fifos.js';
import { inheritedDescriptors } from '../host/inherited.js';
import { ownLabel } from '../host/label.js';
import { buildEtc, openFolder, publishNode } from '../host/runtime.js';
import { removeTree } from '../host/remove-tree.js';
import { UidRange } from '../host/slots.js';
import type { SelectOptions } from '../options.js';
import { DEFAULT_LIMITS } from '../port.js';
import { findTool } from '../process/find-tool.js';
import { seccompProgram } from '../seccomp/profile.js';
import { BubblewrapDriver } from './driver.js';
import { planLayout } from './layout.js';
import type { Tools } from './launch.js';

const DEFAULT_SLOTS = 16;
const INSTALL = 'apt-get install bubblewrap';
const PLACE = 'give a data_dir that every user may enter (mode 0755 up to the root), such as /var/lib/hcp';

export type Created = { ok: true; driver: BubblewrapDriver } | { ok: false; reason: string; fix: string };
type CreateOptions = Omit<SelectOptions, 'requested' | 'production' | 'docker' | 'allow_uploaded'> & {
  allow_uploaded: boolean;
};

let instances = 0;

/** Looks at the machine, prepares data_dir and proves by a run that bubblewrap works here. Never throws. */
export async function createBubblewrap(options: CreateOptions): Promise<Created> {
  const { arch } = process;
  if (process.platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64')) {
    return {
      ok: false,
      reason: `no sandbox for ${process.platform} on ${arch}`,
      fix: 'use Linux on x86_64 or aarch64',
    };
  }
  const tools = await findTools();
  if (Array.isArray(tools)) {
    const fix = tools.includes('bwrap') ? INSTALL : 'apt-get install util-linux coreutils';
    return { ok: false, reason: `${tools.join(', ')} not found`, fix };
  }
  const root = process.getuid?.() === 0;
  let uids: UidRange | null = null;
  try {
    if (root) {
      uids = await UidRange.claim(options.data_dir);
      if (uids === null) {
        return { ok: false, reason: 'every range of sandbox uids is in use', fix: 'stop other workers' };
      }
    }
    const made = await assemble(options, tools, uids, seccompProgram(arch));
    if (!made.ok) await uids?.release();
    return made;
  } catch (error) {
    await uids?.release();
    return { ok: false, reason: `the sandbox cannot be prepared (${reasonOf(error)})`, fix: PLACE };
  }
}

async function assemble(
  options: CreateOptions,
  tools: Tools,
  uids: UidRange | null,
  seccomp: Buffer,
): Promise<Created> {
  const runtime = await openFolder(join(options.data_dir, 'runtime'));
  const ephemeral = await openFolder(join(options.data_dir, 'ephemeral'));
  const closed = await firstClosedFolder(runtime, uids?.first ?? process.getuid?.() ?? 0);
  if (closed !== null) return { ok: false, reason: `the sandbox's user may not enter ${closed}`, fix: PLACE };
  // More than one driver may live in a process; each has folders of its own.
  const label = ownLabel();
  const instance = (instances += 1);
  const own = join(runtime, `own-${label}.${instance}`);
  await removeTree(own);
  await openFolder(own);
  const etc = await buildEtc(join(own, 'etc'));
  const empty = await openFolder(join(own, 'empty'));
  const slots = Math.min(options.slots ?? DEFAULT_SLOTS, UidRange.size);
  const fifos = await Fifos.create(tools.mkfifo, await openFolder(join(own, 'fifos')), slots, (slot) =>
    uids === null ? null : uids.first + slot,
  );
  const egress = await EgressHost.create(join(own, 'egress'), {
    allow_private: options.allow_private_hosts ?? [],
    ...(options.resolve_host && { resolve: options.resolve_host }),
  });
  const missing: string[] = [];
  const node_path = await publishNode(options.node_bin, runtime, label);
  const layout = await planLayout({ etc_dir: etc, node_path, allowed_bins: options.allowed_bins, missing });
  const { cgroups, note } = await detectCgroups(uids !== null);
  const identity =
    uids === null
      ? 'sandboxes share the uid of the worker'
      : `sandboxes have uids ${uids.first} to ${uids.first + UidRange.size - 1}`;
  const driver = new BubblewrapDriver({
    tools,
    layout,
    seccomp,
    cgroups,
    uids,
    slots,
    dirs: { runtime, ephemeral, own, empty },
    fifos,
    egress,
    inherited: inheritedDescriptors(),
    label,
    allow_uploaded: options.allow_uploaded,
    notes: [note, identity, ...missing.map((name) => `allowed bin ${name} is not on this machine`)],
  });
  const failure = await driver.probe(`probe-${instance}`, DEFAULT_LIMITS);
  if (failure === null) return { ok: true, driver };
  await driver.close();
  return {
    ok: false,
    reason: `bubblewrap does not work here: ${failure}`,
    fix: `allow unprivileged user namespaces, or ${INSTALL}`,
  };
}

/** The tools, or the names of those that are missing. */
async function findTools(): Promise<Tools | string[]> {
  const [bwrap, setpriv, prlimit, mkfifo] = await Promise.all(['bwrap', 'setpriv', 'prlimit', 'mkfifo'].map(findTool));
  if (bwrap && setpriv && prlimit && mkfifo) return { bwrap, setpriv, prlimit, mkfifo };
  return Object.entries({ bwrap, setpriv, prlimit, mkfifo }).flatMap(([name, path]) => (path ? [] : [name]));
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}

import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DEFAULT_LIMITS,
  type Limits,
  type RunOptions,
  type SandboxDriver,
  type SandboxOutcome,
  type SandboxSpec,
  selectDriver,
  type SelectOptions,
} from '@hcp/sandbox';
import { askDocker, dockerHost, ensureDocker, HAS_DOCKER } from '../../support/docker.js';

/** The drivers that isolate; each must pass the whole suite (SPEC S1). */
export type Isolating = 'bubblewrap' | 'docker';
export const DRIVERS: readonly Isolating[] = HAS_DOCKER ? ['bubblewrap', 'docker'] : ['bubblewrap'];

/** Where the drivers differ in what a program or the host sees, and may. */
export const TRAITS = {
  bubblewrap: {
    /** Processes that count besides the program's. */
    own_pids: 2,
    groups: /^Groups:\t *$/m,
    /** At the top, besides the usual. */
    top: [] as string[],
    /** Beside the program's streams; a docker daemon's pipes have no name. */
    descriptor: /-> (\/dev\/null|\/proc\/\d+\/fd|.*\/fifos\/\d+\.(out|err))$/,
    /** Of four files of the host. docker shows an empty resolv.conf, and a pid 1 whose root nobody may enter. */
    not_there: 4,
  },
  docker: {
    own_pids: 1,
    // The kernel's list repeats the run's own group.
    groups: /^Groups:\t2\d{5} *$/m,
    // /sys is masked: an empty folder.
    top: ['.dockerenv', 'sys', 'workspace'],
    descriptor: /-> (\/dev\/null|\/proc\/\d+\/fd|pipe:\[\d+\])$/,
    not_there: 2,
  },
} as const;

/** How long a program may take to start on a busy machine. */
export const SOON = { timeout: 15_000, interval: 20 };

/** A folder that every uid may enter, with a pack whose bins run what they are told. */
export interface Place {
  dir: string;
  data_dir: string;
  pack_dir: string;
  /** A fresh folder for a workspace. */
  workspace(): string;
  remove(): void;
}

const BINS: Record<string, string> = {
  // The first argument is a shell script, run by this pack's own program.
  sh: '#!/bin/sh\nscript="$1"; shift\neval "$script"\n',
  node: '#!/usr/bin/env node\neval(process.argv[2]);\n',
  args: '#!/usr/bin/env node\nprocess.stdout.write(JSON.stringify(process.argv.slice(2)));\n',
  orphaned: '#!/no/such/interpreter\n',
};

export function makePlace(): Place {
  const dir = mkdtempSync(join(tmpdir(), 'hcp-sandbox-'));
  chmodSync(dir, 0o755);
  const pack_dir = join(dir, 'pack');
  mkdirSync(join(pack_dir, 'bin'), { recursive: true });
  for (const [name, text] of Object.entries(BINS)) writeFileSync(join(pack_dir, 'bin', name), text, { mode: 0o755 });
  writeFileSync(join(pack_dir, 'bin', 'plain'), 'not executable', { mode: 0o644 });
  for (const folder of [pack_dir, join(pack_dir, 'bin')]) chmodSync(folder, 0o755);
  let workspaces = 0;
  return {
    dir,
    data_dir: join(dir, 'data'),
    pack_dir,
    workspace: () => {
      const path = join(dir, `workspace-${(workspaces += 1)}`);
      mkdirSync(path);
      return path;
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

export function selectOptions(place: Place, over: Partial<SelectOptions> = {}): SelectOptions {
  return {
    requested: 'bubblewrap',
    production: true,
    allow_uploaded: [],
    allowed_bins: { echo: '/bin/echo' },
    data_dir: place.data_dir,
    node_bin: process.execPath,
    docker: {
      host: dockerHost(),
      runtime: process.env.HCP_DOCKER_RUNTIME ?? null,
      image: 'hcp-sandbox:latest',
      images: {},
    },
    ...over,
  };
}

export async function makeDriver(place: Place, over: Partial<SelectOptions> = {}): Promise<SandboxDriver> {
  if (over.requested === 'docker') await ensureDocker();
  const selected = await selectDriver(selectOptions(place, over));
  if (!selected.ok) throw new Error(`these tests need a sandbox: ${selected.reason}; ${selected.fix}`);
  return selected.driver;
}

export type SpecOverrides = Omit<Partial<SandboxSpec>, 'limits'> & { limits?: Partial<Limits> };

export function makeSpec(place: Place, over: SpecOverrides = {}): SandboxSpec {
  return {
    run_id: randomUUID(),
    bin: 'bin/sh',
    argv: [],
    pack_dir: place.pack_dir,
    uploaded: false,
    workspace: { mode: 'pack', dir: null },
    env: {},
    ...over,
    limits: { ...DEFAULT_LIMITS, timeout_ms: 30_000, ...over.limits },
  };
}

/** Runs a shell script of the pack and waits for its end. */
export function shell(
  driver: SandboxDriver,
  place: Place,
  script: string,
  over: SpecOverrides = {},
  options: Partial<RunOptions> = {},
): Promise<SandboxOutcome> {
  return driver.run(makeSpec(place, { argv: [script], ...over }), { signal: new AbortController().signal, ...options });
}

/** Runs JavaScript by the pack's node program. */
export function script(
  driver: SandboxDriver,
  place: Place,
  code: string,
  over: SpecOverrides = {},
): Promise<SandboxOutcome> {
  return shell(driver, place, code, { bin: 'bin/node', ...over });
}

/** An argument for `sleep` by which its process is found again. */
export function marker(): string {
  return `3600.${BigInt(`0x${randomBytes(6).toString('hex')}`)}`;
}

/** Host pids of processes whose file of this name holds the text. */
export function processesWith(text: string, file: 'cmdline' | 'environ' = 'cmdline'): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/${file}`, 'latin1').includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** A processes' command line begins with this program, so that the sandbox's own monitor does not count. */
export function sleepersWith(text: string): number[] {
  return processesWith(`sleep\0${text}`);
}

/** Folders of the run's cgroup, in every hierarchy. */
export async function cgroupsOf(driver: Isolating, run_id: string): Promise<string[]> {
  const names = driver === 'docker' ? await containersOf(run_id) : [run_id];
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => line.split(' ')[4] ?? '');
  return mounts.flatMap((mount) => {
    try {
      const parent = join(mount, driver === 'docker' ? 'docker' : 'hcp-sandbox');
      return readdirSync(parent)
        .filter((name) => names.some((end) => name.endsWith(end)))
        .map((name) => join(parent, name));
    } catch {
      return [];
    }
  });
}

/** What is left of a run besides its folder: cgroups, or its container, running or not. */
export function leftOf(driver: Isolating, run_id: string): Promise<string[]> {
  return driver === 'docker' ? containersOf(run_id) : cgroupsOf(driver, run_id);
}

async function containersOf(run_id: string): Promise<string[]> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`hcp.sandbox.run=${run_id}`] }));
  const listed = JSON.parse(await askDocker(`/containers/json?all=1&filters=${filters}`)) as { Id: string }[];
  return listed.map(({ Id }) => Id);
}

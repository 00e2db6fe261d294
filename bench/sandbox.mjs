/* global AbortController */
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DEFAULT_LIMITS, selectDriver } from '@hcp/sandbox';
import { inTurn, throughput } from './lib/measure.mjs';
import { startProduct } from './lib/product.mjs';
import { staticBinary } from './lib/static-binary.mjs';

/**
 * What each way of isolating a program costs, in turn on the same machine: the two drivers (and docker with gVisor, where
 * `runsc` is installed) and a whole `POST /v1/exec` on bubblewrap beside a bare spawn, a bare bubblewrap and `docker run`, all
 * of the same static binary. Starts a docker daemon of its own: needs root, dockerd and the docker command.
 */
const execute = promisify(execFile);
const rounds = Number(process.env.ROUNDS ?? 50);
const parallel = 8;

const dir = mkdtempSync(join(tmpdir(), 'hcp-bench-sandbox-'));
chmodSync(dir, 0o755);
const pack_dir = join(dir, 'pack');
mkdirSync(pack_dir);
const bin = join(pack_dir, 'bench');
writeFileSync(bin, staticBinary());
chmodSync(bin, 0o755);

const runsc = ['/usr/bin/runsc', '/usr/local/bin/runsc'].find((path) => existsSync(path));
const host = `unix://${dir}/docker.sock`;
const daemon = await startDaemon();
const drivers = [];
const product = await startProduct();
try {
  const script = join(import.meta.dirname, '../scripts/sandbox-image.mjs');
  await execute(process.execPath, [script, '--host', host]);
  const contestants = {
    spawn: () => execute(bin, []),
    bwrap: () =>
      execute('bwrap', [
        '--unshare-all',
        '--die-with-parent',
        '--ro-bind',
        pack_dir,
        '/pack',
        '--proc',
        '/proc',
        '--dev',
        '/dev',
        '--',
        '/pack/bench',
      ]),
    exec: async () => {
      const answer = await product.owner.post('/v1/exec', { pack_id: 'bench', verb_key: 'run', args: {} });
      if (!answer.ok) throw new Error(`exec failed: ${answer.code}`);
    },
    bubblewrap: await driver('bubblewrap', null),
    docker: await driver('docker', null),
    docker_run: () =>
      execute('docker', [
        '-H',
        host,
        'run',
        '--rm',
        '--network',
        'none',
        '-v',
        `${pack_dir}:/pack:ro`,
        'hcp-sandbox:latest',
        '/pack/bench',
      ]),
    ...(runsc && { docker_gvisor: await driver('docker', 'runsc') }),
  };
  const milliseconds = await inTurn(contestants, { rounds, warm_up: 3 });
  const calls_per_second = { parallel };
  for (const [name, call] of Object.entries(contestants)) {
    calls_per_second[name] = await throughput(call, { parallel, calls: Math.max(parallel, rounds) });
  }
  const ratio = (a, b) => Number((milliseconds[a].p50 / milliseconds[b].p50).toFixed(2));
  const report = {
    cores: cpus().length,
    node: process.version,
    milliseconds,
    p50_to_docker_run: {
      exec: ratio('exec', 'docker_run'),
      bubblewrap: ratio('bubblewrap', 'docker_run'),
      docker: ratio('docker', 'docker_run'),
    },
    calls_per_second,
  };
  const out = join(import.meta.dirname, 'results');
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'sandbox.json'), `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
} finally {
  await product.end();
  for (const each of drivers) await each.close();
  daemon.kill('SIGTERM');
  if (daemon.exitCode === null) await new Promise((resolve) => daemon.once('exit', resolve));
  rmSync(dir, { recursive: true, force: true });
}

async function driver(requested, runtime) {
  const selected = await selectDriver({
    requested,
    production: true,
    allow_uploaded: [],
    allowed_bins: {},
    data_dir: join(dir, 'data'),
    node_bin: process.execPath,
    docker: { host, runtime, image: 'hcp-sandbox:latest', images: {} },
  });
  if (!selected.ok) throw new Error(`${selected.reason}; ${selected.fix}`);
  drivers.push(selected.driver);
  const spec = {
    bin: 'bench',
    argv: [],
    pack_dir,
    uploaded: false,
    workspace: { mode: 'pack', dir: null },
    env: {},
    limits: DEFAULT_LIMITS,
  };
  return async () => {
    const outcome = await selected.driver.run(
      { ...spec, run_id: randomUUID() },
      { signal: new AbortController().signal },
    );
    if (outcome.exit_code !== 0) throw new Error(`${requested}: ${outcome.error ?? outcome.kind}`);
  };
}

async function startDaemon() {
  const config = join(dir, 'daemon.json');
  writeFileSync(
    config,
    JSON.stringify(runsc ? { runtimes: { runsc: { path: runsc, runtimeArgs: ['--network=none'] } } } : {}),
  );
  const log = openSync(join(dir, 'daemon.log'), 'w');
  const args = [
    '--config-file',
    config,
    '--iptables=false',
    '--ip6tables=false',
    '--bridge=none',
    '--userland-proxy=false',
  ];
  const folders = ['--data-root', join(dir, 'docker'), '--exec-root', join(dir, 'exec'), '-p', join(dir, 'docker.pid')];
  const child = spawn('dockerd', [...args, ...folders, '-H', host], {
    stdio: ['ignore', log, log],
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  for (const until = Date.now() + 30_000; ; await sleep(100)) {
    if ((await execute('docker', ['-H', host, 'version']).catch(() => null)) !== null) return child;
    if (Date.now() > until || child.exitCode !== null)
      throw new Error(readFileSync(join(dir, 'daemon.log'), 'utf8').slice(-1000));
  }
}

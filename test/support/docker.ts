import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import './docker-setup.js';

const execute = promisify(execFile);
const START_MS = 120_000;
const DAEMON = ['/usr/sbin/dockerd', '/usr/bin/dockerd', '/usr/local/bin/dockerd'].find((path) => existsSync(path));
export const RUNSC = ['/usr/bin/runsc', '/usr/local/bin/runsc'].find((path) => existsSync(path));

/** A docker daemon can be started here; with CI=true it must be, so that a machine without one fails. */
export const HAS_DOCKER = process.env.CI === 'true' || (DAEMON !== undefined && process.getuid?.() === 0);

/** The address of the tests' own daemon, whether it runs or not. */
export function dockerHost(): string {
  return `unix://${inject('hcp_docker')}/docker.sock`;
}

/**
 * Starts a daemon for this run of tests, once for all the files, with its own socket and folders, and gives it the
 * sandbox image. No docker of the machine is touched. `docker-setup.ts` ends it.
 */
export async function ensureDocker(): Promise<void> {
  const dir = inject('hcp_docker');
  const ready = join(dir, 'ready');
  try {
    mkdirSync(join(dir, 'starting'));
  } catch {
    // Another file's process is at it.
    for (const until = Date.now() + START_MS; Date.now() < until; await sleep(50)) {
      if (!existsSync(ready)) continue;
      const failure = readFileSync(ready, 'utf8');
      if (failure !== '') throw new Error(failure);
      return;
    }
    throw new Error('the docker daemon of another test file did not start');
  }
  try {
    await start(dir);
    writeFileSync(ready, '');
  } catch (error) {
    writeFileSync(ready, error instanceof Error ? error.message : 'docker did not start');
    throw error;
  }
}

async function start(dir: string): Promise<void> {
  if (DAEMON === undefined) throw new Error('these tests need dockerd: apt-get install docker.io');
  const log = openSync(join(dir, 'daemon.log'), 'w');
  // gVisor as docs/guides/gvisor.md has it.
  const config = join(dir, 'daemon.json');
  const runsc = { path: RUNSC, runtimeArgs: ['--network=none'] };
  writeFileSync(config, JSON.stringify(RUNSC === undefined ? {} : { runtimes: { runsc } }));
  const daemon = spawn(
    DAEMON,
    [
      ...['--iptables=false', '--ip6tables=false', '--bridge=none', '--userland-proxy=false', '--log-level=warn'],
      ...['--default-ulimit', 'nofile=1024:4096', '--data-root', join(dir, 'data'), '--exec-root', join(dir, 'exec')],
      ...['-H', dockerHost(), '-p', join(dir, 'docker.pid')],
      ...['--config-file', config],
    ],
    { detached: true, stdio: ['ignore', log, log] },
  );
  daemon.unref();
  writeFileSync(join(dir, 'daemon.pid'), String(daemon.pid));
  for (const until = Date.now() + 30_000; !(await answers(join(dir, 'docker.sock'))); await sleep(50)) {
    if (Date.now() < until && daemon.exitCode === null) continue;
    throw new Error(`dockerd did not start: ${readFileSync(join(dir, 'daemon.log'), 'utf8').slice(-1000)}`);
  }
  const script = join(import.meta.dirname, '../../scripts/sandbox-image.mjs');
  await execute(process.execPath, [script, '--host', dockerHost()]);
}

async function answers(socketPath: string): Promise<boolean> {
  return (await askDocker('/_ping', { socketPath }).catch(() => null)) === 'OK';
}

/** What the tests' daemon answers, as text; with a body by POST. */
export function askDocker(
  path: string,
  { socketPath = `${inject('hcp_docker')}/docker.sock`, body }: { socketPath?: string; body?: unknown } = {},
): Promise<string> {
  const text = body === undefined ? null : JSON.stringify(body);
  const headers = { host: 'docker', ...(text !== null && { 'content-type': 'application/json' }) };
  return new Promise((resolve, reject) => {
    request({ socketPath, path, headers, method: text === null ? 'GET' : 'POST' }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('end', () => resolve(text));
    })
      .once('error', reject)
      .end(text);
  });
}

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readlinkSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type SandboxDriver, type SelectOptions, selectDriver } from '@hcp/sandbox';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { askDocker, dockerHost, ensureDocker, HAS_DOCKER, RUNSC } from '../../support/docker.js';
import {
  leftOf,
  makeDriver,
  makePlace,
  makeSpec,
  marker,
  type Place,
  selectOptions,
  shell,
  sleepersWith,
  SOON,
} from './harness.js';

const requested = 'docker';
const never = (): { signal: AbortSignal } => ({ signal: new AbortController().signal });
const WITHIN = { timeout: 5000, interval: 50 };

describe.runIf(HAS_DOCKER)('the docker driver', () => {
  let place: Place;
  let driver: SandboxDriver;
  beforeAll(async () => {
    place = makePlace();
    driver = await makeDriver(place, { requested });
  });
  afterAll(async () => {
    await driver.close();
    place.remove();
  });
  const docker = (over: Partial<NonNullable<SelectOptions['docker']>> = {}): Partial<SelectOptions> => ({
    requested,
    docker: { host: dockerHost(), runtime: null, image: 'hcp-sandbox:latest', images: {}, ...over },
  });
  const image = async (): Promise<string> =>
    (JSON.parse(await askDocker('/images/hcp-sandbox:latest/json')) as { Id: string }).Id;

  describe('what the daemon shows and keeps of a run', () => {
    it('is no environment, no network and no mount but the run’s own', async () => {
      const secret = `canary${marker()}`;
      const mark = marker();
      const stop = new AbortController();
      const spec = makeSpec(place, {
        argv: [`echo $LEDGER_TOKEN; sleep ${mark}`],
        env: { LEDGER_TOKEN: secret },
        workspace: { mode: 'ephemeral', dir: null },
      });
      const run = driver.run(spec, { signal: stop.signal });
      await vi.waitFor(() => expect(sleepersWith(mark)).toHaveLength(1), SOON);
      const [id] = await leftOf(requested, spec.run_id);
      const shown = await askDocker(`/containers/${id}/json`);
      const kept = spawnSync('grep', ['-rlF', '-e', secret, inject('hcp_docker')], { encoding: 'utf8' }).stdout;
      stop.abort();
      expect((await run).stdout).toBe(`${secret}\n`);
      expect(shown).not.toContain(secret);
      expect(kept).toBe('');
      const { Config, HostConfig, Mounts } = JSON.parse(shown) as Shown;
      expect(Config.Env ?? []).toEqual([]);
      expect(HostConfig).toMatchObject({
        NetworkMode: 'none',
        Privileged: false,
        ReadonlyRootfs: true,
        CapAdd: null,
        CapDrop: ['ALL'],
        LogConfig: { Type: 'none' },
      });
      expect(Mounts.filter(({ RW }) => RW).map(({ Destination }) => Destination)).toEqual(['/workspace']);
      for (const { Source } of Mounts) expect(Source.startsWith(place.dir)).toBe(true);
      for (const { Source } of Mounts) expect(statSync(Source, { throwIfNoEntry: false })?.isSocket()).not.toBe(true);
    });
  });

  describe('a worker that is killed', () => {
    it('takes along a program that defends itself, with nobody left to reap it', async () => {
      const mark = marker();
      const run_id = `defended-${process.pid}`;
      // It stops all it may signal, and lets go of its own streams.
      const argv = [
        `trap "" TERM HUP INT; setsid sh -c 'trap "" TERM HUP; exec sleep ${mark}' & kill -STOP 1; exec </dev/null >/dev/null 2>&1; kill -STOP -1; sleep ${mark}`,
      ];
      const spec = makeSpec(place, { run_id, argv });
      const worker = startWorker(place, { requested }, spec);
      await vi.waitFor(() => expect(sleepersWith(mark).length).toBeGreaterThan(0), SOON);
      worker.kill('SIGKILL');
      await vi.waitFor(() => expect(sleepersWith(mark)).toEqual([]), WITHIN);
      await vi.waitFor(async () => expect(await leftOf(requested, run_id)).toEqual([]), WITHIN);
    });
  });

  describe('reap', () => {
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '';
    /** A container as an earlier worker would have left it, running. */
    const leave = async (run_id: string, owner: string, ends: number): Promise<void> => {
      const body = {
        Image: 'hcp-sandbox:latest',
        Cmd: ['/usr/bin/sleep', '3600'],
        Labels: {
          'hcp.sandbox': '1',
          'hcp.sandbox.owner': owner,
          'hcp.sandbox.run': run_id,
          'hcp.sandbox.ends': String(ends),
        },
        HostConfig: { NetworkMode: 'none', LogConfig: { Type: 'none' } },
      };
      const { Id } = JSON.parse(await askDocker('/containers/create', { body })) as { Id: string };
      await askDocker(`/containers/${Id}/start`, { body: {} });
    };

    it('removes what dead workers left and what is long over, and nothing else', async () => {
      const now = Date.now() / 1000;
      const [dead, over, foreign] = ['dead', 'over', 'foreign'].map((name) => `${name}-${marker().slice(5)}`) as [
        string,
        string,
        string,
      ];
      await leave(dead, `${namespace}.1.1`, now + 3600);
      // Workers of another container cannot be looked up from here: only time tells.
      await leave(over, '1.1.1', now - 120);
      await leave(foreign, '1.1.1', now + 3600);
      await driver.reap();
      expect(await leftOf(requested, dead)).toEqual([]);
      expect(await leftOf(requested, over)).toEqual([]);
      const [left] = await leftOf(requested, foreign);
      expect(left).toBeDefined();
      execFileSync('curl', [
        ...['-sf', '-X', 'DELETE', '--unix-socket', join(inject('hcp_docker'), 'docker.sock')],
        `http://docker/containers/${left}?force=1`,
      ]);
    });
  });

  describe('a daemon that is lost during a run', () => {
    it('leaves the outcome open, and the program ends', async () => {
      const held = new Set<Socket>();
      const path = join(place.dir, 'between.sock');
      const between = createServer((client) => {
        const daemon = connect(join(inject('hcp_docker'), 'docker.sock'));
        for (const socket of [client, daemon]) held.add(socket.on('error', () => undefined));
        client.pipe(daemon).pipe(client);
      });
      await new Promise<void>((resolve) => between.listen(path, resolve));
      const mine = await makeDriver(place, { ...docker({ host: `unix://${path}` }), slots: 1 });
      const mark = marker();
      const run = shell(mine, place, `echo begun; sleep ${mark}`);
      await vi.waitFor(() => expect(sleepersWith(mark)).toHaveLength(1), SOON);
      between.close();
      for (const socket of held) socket.destroy();
      expect(await run).toMatchObject({
        kind: 'lost',
        exit_code: null,
        error: 'sandbox: the docker daemon was lost during the run',
      });
      await vi.waitFor(() => expect(sleepersWith(mark)).toEqual([]), WITHIN);
      // Its one slot is held until the daemon is back and the container is known to be gone.
      await new Promise<void>((resolve) => between.listen(path, resolve));
      const next = shell(mine, place, 'echo again');
      await mine.reap();
      expect((await next).stdout).toBe('again\n');
      await mine.close();
      for (const socket of held) socket.destroy();
      between.close();
    });
  });

  describe('a program that ends at once', () => {
    it('is never waited for in vain', async () => {
      const outcomes = [];
      for (let run = 0; run < 16; run += 1) outcomes.push(await shell(driver, place, '', { bin: 'echo', argv: ['x'] }));
      for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'exited', exit_code: 0, stdout: 'x\n' });
    });
  });

  describe('images that packs name', () => {
    it('run when the operator lists them by digest, and no others', async () => {
      const mine = await makeDriver(place, docker({ images: { 'tools:1': await image() } }));
      expect(mine.images).toEqual(['tools:1']);
      expect((await shell(mine, place, 'echo in', { image: 'tools:1' })).stdout).toBe('in\n');
      for (const name of ['tools:2', 'hcp-sandbox:latest', 'constructor', '']) {
        expect(await shell(mine, place, 'echo in', { image: name })).toMatchObject({
          kind: 'failed_to_start',
          error: "sandbox: the image is not on the operator's list",
        });
      }
      await mine.close();
    });

    it('are refused by drivers that run none', async () => {
      const bubblewrap = await makeDriver(place);
      expect(bubblewrap.images).toEqual([]);
      expect((await shell(bubblewrap, place, 'true', { image: 'tools:1' })).error).toBe(
        'sandbox: bubblewrap runs no images',
      );
      await bubblewrap.close();
    });
  });

  describe('selectDriver', () => {
    it.each([
      ['no daemon', { host: 'unix:///no/such/docker.sock' }, /docker cannot be used/, /docker\.io/],
      ['a daemon elsewhere', { host: 'tcp://10.0.0.1:2375' }, /no local socket/, /unix:/],
      ['no image', { image: 'nothing:1' }, /no image nothing:1/, /sandbox-image\.mjs/],
      ['a missing listed image', { images: { a: `sha256:${'0'.repeat(64)}` } }, /no image for a/, /load/],
      ['no such runtime', { runtime: 'nothing' }, /no runtime nothing/, /gvisor\.md/],
    ])('says what to do about %s', async (_name, over, reason, fix) => {
      const selected = await selectDriver(selectOptions(place, docker(over)));
      expect(selected).toMatchObject({
        ok: false,
        reason: expect.stringMatching(reason) as string,
        fix: expect.stringMatching(fix) as string,
      });
    });

    it('takes docker for auto where there is no bubblewrap, and names both where there is neither', () => {
      const file = join(place.dir, 'auto.mjs');
      const without = { ...selectOptions(place, { requested: 'auto' }), docker: undefined };
      writeFileSync(
        file,
        `import { selectDriver } from ${JSON.stringify(import.meta.resolve('@hcp/sandbox'))};
         const both = await selectDriver(${JSON.stringify(selectOptions(place, { requested: 'auto' }))});
         const neither = await selectDriver(${JSON.stringify(without)});
         console.log(JSON.stringify([both.ok && both.driver.name, neither]));
         await both.driver?.close();`,
      );
      // The same machine, seen without bubblewrap.
      const hide = 'for path in /usr/bin/bwrap /bin/bwrap; do mount --bind /dev/null $path; done; exec "$@"';
      const { stdout, stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', hide, 'sh', process.execPath, file], {
        encoding: 'utf8',
      });
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual([
        'docker',
        {
          ok: false,
          reason: 'bwrap not found; docker is not set up',
          fix: 'apt-get install bubblewrap; or give the worker the socket of a docker daemon',
        },
      ]);
    });
  });
});

describe.runIf(RUNSC !== undefined && HAS_DOCKER)('the docker driver with gVisor', () => {
  it('runs programs on a kernel of their own, and ends them', async () => {
    await ensureDocker();
    const place = makePlace();
    const driver = await makeDriver(place, {
      requested,
      docker: { host: dockerHost(), runtime: 'runsc', image: 'hcp-sandbox:latest', images: {} },
    });
    const outcome = await shell(driver, place, 'dmesg; echo $A > file; cat file; exit 3', {
      env: { A: 'a' },
      workspace: { mode: 'ephemeral', dir: null },
    });
    expect(outcome).toMatchObject({ kind: 'exited', exit_code: 3 });
    expect(outcome.stdout).toMatch(/Starting gVisor[^]*\na\n$/);
    const spec = makeSpec(place, { argv: ['echo begun; sleep 3600'], limits: { timeout_ms: 500 } });
    expect(await driver.run(spec, never())).toMatchObject({ kind: 'timeout', stdout: 'begun\n' });
    expect(await leftOf(requested, spec.run_id)).toEqual([]);
    await driver.close();
    place.remove();
  });

  it('ends them when their worker is killed', async () => {
    await ensureDocker();
    const place = makePlace();
    const run_id = `gvisor-${process.pid}`;
    const over = {
      requested,
      docker: { host: dockerHost(), runtime: 'runsc', image: 'hcp-sandbox:latest', images: {} },
    } as const;
    const spec = makeSpec(place, { run_id, argv: ['setsid sleep 3600 & kill -STOP 1; sleep 3600'] });
    const worker = startWorker(place, over, spec);
    const left = (): Promise<string[]> => leftOf(requested, run_id);
    await vi.waitFor(async () => {
      const [id] = await left();
      const { State } = JSON.parse(await askDocker(`/containers/${id}/json`)) as Shown;
      expect(State.Running).toBe(true);
    }, SOON);
    // The program has begun by now, or will have.
    worker.kill('SIGKILL');
    await vi.waitFor(async () => expect(await left()).toEqual([]), WITHIN);
    place.remove();
  });
});

/** A worker of its own that runs one program. */
function startWorker(
  place: Place,
  over: Partial<SelectOptions>,
  spec: ReturnType<typeof makeSpec>,
): ReturnType<typeof spawn> {
  const file = join(place.dir, `worker-${spec.run_id}.mjs`);
  writeFileSync(
    file,
    `import { selectDriver } from ${JSON.stringify(import.meta.resolve('@hcp/sandbox'))};
     const { driver } = await selectDriver(${JSON.stringify(selectOptions(place, over))});
     await driver.run(${JSON.stringify(spec)}, { signal: new AbortController().signal });`,
  );
  return spawn(process.execPath, [file], { stdio: 'ignore' });
}

interface Shown {
  State: { Running: boolean };
  Config: { Env: string[] | null };
  HostConfig: Record<string, unknown>;
  Mounts: { Source: string; Destination: string; RW: boolean }[];
}

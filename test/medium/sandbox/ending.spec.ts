import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxDriver } from '@hcp/sandbox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  cgroupsOf,
  DRIVERS,
  makeDriver,
  leftOf,
  makePlace,
  makeSpec,
  marker,
  type Place,
  selectOptions,
  shell,
  SOON,
  sleepersWith,
} from './harness.js';

const WITHIN = { timeout: 5000, interval: 50 };

describe.each(DRIVERS)('%s', (requested) => {
  let place: Place;
  let driver: SandboxDriver;
  beforeAll(async () => {
    place = makePlace();
    driver = await makeDriver(place, { requested, slots: 4 });
  });
  afterAll(async () => {
    await driver.close();
    place.remove();
  });

  describe('the tree of a run is gone', () => {
    it('when the program leaves children behind', async () => {
      const mark = marker();
      const outcome = await shell(driver, place, `setsid sleep ${mark} & sleep ${mark} & echo done; exit 3`);
      expect(outcome).toMatchObject({ kind: 'exited', exit_code: 3, stdout: 'done\n' });
      expect(sleepersWith(mark)).toEqual([]);
    });

    it('at the time-out, with a setsid child that holds the pipes and ignores signals', async () => {
      const mark = marker();
      const script = `trap "" TERM INT HUP; setsid sh -c 'trap "" TERM HUP; sleep ${mark}' & echo begun; sleep ${mark}`;
      const spec = makeSpec(place, { argv: [script], limits: { timeout_ms: 700 } });
      const outcome = await driver.run(spec, { signal: new AbortController().signal });
      expect(outcome).toMatchObject({ kind: 'timeout', exit_code: null, stdout: 'begun\n' });
      expect(sleepersWith(mark)).toEqual([]);
      expect(await leftOf(requested, spec.run_id)).toEqual([]);
    });

    it('after a cancel', async () => {
      const mark = marker();
      const stop = new AbortController();
      const run = shell(driver, place, `setsid sleep ${mark} & sleep ${mark}`, {}, { signal: stop.signal });
      await vi.waitFor(() => expect(sleepersWith(mark)).toHaveLength(2), SOON);
      stop.abort();
      expect(await run).toMatchObject({ kind: 'cancelled', exit_code: null });
      expect(sleepersWith(mark)).toEqual([]);
    });

    it('after close, which waits for it', async () => {
      const mine = await makeDriver(place, { requested });
      const mark = marker();
      const run = shell(mine, place, `sleep ${mark}`);
      await vi.waitFor(() => expect(sleepersWith(mark)).toHaveLength(1), SOON);
      await mine.close();
      expect(sleepersWith(mark)).toEqual([]);
      expect((await run).kind).toBe('cancelled');
      expect((await shell(mine, place, 'true')).kind).toBe('cancelled');
    });
  });

  describe('a cancel', () => {
    it('before the start starts nothing', async () => {
      expect(await shell(driver, place, 'echo ran', {}, { signal: AbortSignal.abort() })).toMatchObject({
        kind: 'cancelled',
        stdout: '',
        duration_ms: 0,
      });
    });

    it('while waiting for a slot takes the run out of the line', async () => {
      const mark = marker();
      const stop = new AbortController();
      const busy = Array.from({ length: 4 }, () => shell(driver, place, `sleep ${mark}`, {}, { signal: stop.signal }));
      await vi.waitFor(() => expect(sleepersWith(mark)).toHaveLength(4), SOON);
      const impatient = new AbortController();
      const waiting = shell(driver, place, 'echo ran', {}, { signal: impatient.signal });
      const patient = shell(driver, place, 'echo ran');
      impatient.abort();
      expect(await waiting).toMatchObject({ kind: 'cancelled', stdout: '' });
      stop.abort();
      await Promise.all(busy);
      expect((await patient).stdout).toBe('ran\n');
    });
  });

  describe('a worker that is killed', () => {
    /** A worker of its own: runs one script in a sandbox and says nothing. */
    const startWorker = (script: string, run_id: string): ReturnType<typeof spawn> => {
      const file = join(place.dir, `worker-${run_id}.mjs`);
      const spec = makeSpec(place, { run_id, argv: [script], workspace: { mode: 'ephemeral', dir: null } });
      writeFileSync(
        file,
        `import { selectDriver } from ${JSON.stringify(import.meta.resolve('@hcp/sandbox'))};
       const { driver } = await selectDriver(${JSON.stringify(selectOptions(place, { requested }))});
       await driver.run(${JSON.stringify(spec)}, { signal: new AbortController().signal });`,
      );
      return spawn(process.execPath, [file], { stdio: 'ignore' });
    };

    it('takes its sandboxes along, and another worker removes what is left of it', async () => {
      const mark = marker();
      const run_id = `killed-${process.pid}`;
      const worker = startWorker(`mkdir deep; setsid sleep ${mark} & sleep ${mark}`, run_id);
      await vi.waitFor(() => expect(sleepersWith(mark)).toHaveLength(2), SOON);
      worker.kill('SIGKILL');
      await vi.waitFor(() => expect(sleepersWith(mark)).toEqual([]), WITHIN);
      // With docker the worker's warden is at it already.
      if (requested === 'bubblewrap') expect(await leftOf(requested, run_id)).not.toEqual([]);
      const ephemeral = join(place.data_dir, 'ephemeral');
      expect(readdirSync(ephemeral).some((name) => name.endsWith(run_id))).toBe(true);
      await vi.waitFor(async () => {
        await driver.reap();
        expect(await leftOf(requested, run_id)).toEqual([]);
      }, WITHIN);
      expect(readdirSync(ephemeral).some((name) => name.endsWith(run_id))).toBe(false);
    });

    it('is told from one that lives', async () => {
      const mark = marker();
      const run_id = `living-${process.pid}`;
      const worker = startWorker(`sleep ${mark}`, run_id);
      await vi.waitFor(() => expect(sleepersWith(mark)).toHaveLength(1), SOON);
      await driver.reap();
      const after = { sleepers: sleepersWith(mark).length, left: (await leftOf(requested, run_id)).length > 0 };
      worker.kill('SIGKILL');
      expect(after).toEqual({ sleepers: 1, left: true });
      await vi.waitFor(() => expect(sleepersWith(mark)).toEqual([]), WITHIN);
      await driver.reap();
    });
  });
});

describe('bubblewrap, when a worker was killed and something outlived it', () => {
  let place: Place;
  let driver: SandboxDriver;
  beforeAll(async () => {
    place = makePlace();
    driver = await makeDriver(place);
  });
  afterAll(async () => {
    await driver.close();
    place.remove();
  });

  it('leaves processes that reap kills', async () => {
    // A process in a dead worker's cgroup stands for one that escaped: pid 1 never had this start time.
    const mark = marker();
    const stray = spawn('sleep', [mark], { stdio: 'ignore' });
    const seen = makeSpec(place, { argv: [`sleep ${mark}`] });
    const stop = new AbortController();
    const run = driver.run(seen, { signal: stop.signal });
    await vi.waitFor(() => expect(sleepersWith(mark)).toHaveLength(2), SOON);
    const dead = (await cgroupsOf('bubblewrap', seen.run_id)).map((folder) =>
      folder.replace(/(\d+)\.\d+\.\d+\.[^/]+$/, `$1.1.1.stray-${process.pid}`),
    );
    const { mkdirSync } = await import('node:fs');
    for (const folder of dead) {
      mkdirSync(folder);
      writeFileSync(join(folder, 'cgroup.procs'), String(stray.pid));
    }
    stop.abort();
    await run;
    expect(await driver.reap()).toBeGreaterThanOrEqual(1);
    await vi.waitFor(() => expect(sleepersWith(mark)).toEqual([]), WITHIN);
    for (const folder of dead) expect(existsSync(folder)).toBe(false);
  });
});

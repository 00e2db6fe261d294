import { readFileSync } from 'node:fs';
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
  script,
  shell,
  SOON,
  sleepersWith,
  TRAITS,
} from './harness.js';

describe.each(DRIVERS)('%s', (requested) => {
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

  const MiB = 1024 * 1024;

  describe('memory', () => {
    it('is taken from the program that wants too much', async () => {
      const outcome = await script(driver, place, 'const all=[];for(;;)all.push(Buffer.alloc(8*1024*1024,1))', {
        limits: { memory_bytes: 96 * MiB },
      });
      expect(outcome).toMatchObject({ kind: 'exited', exit_code: 137, oom: true });
    });

    it('is told of when a child was killed and the program itself ended well', async () => {
      const outcome = await shell(
        driver,
        place,
        'node -e "const a=[];for(;;)a.push(Buffer.alloc(8388608,1))"; echo went on',
        {
          limits: { memory_bytes: 96 * MiB },
        },
      );
      expect(outcome).toMatchObject({ kind: 'exited', exit_code: 0, oom: true, stdout: 'went on\n' });
    });

    it('is not told of otherwise, and counts /tmp', async () => {
      const limits = { memory_bytes: 64 * MiB, tmp_bytes: 256 * MiB };
      expect(await shell(driver, place, 'echo fine', { limits })).toMatchObject({ exit_code: 0, oom: false });
      const filled = await shell(driver, place, 'head -c 200000000 /dev/zero > /tmp/big; echo $?', { limits });
      expect(filled.oom).toBe(true);
    });
  });

  describe('processes', () => {
    it('are no more than allowed, and a fork bomb ends with its run', async () => {
      const mark = marker();
      const spec = makeSpec(place, {
        argv: [`b() { b | b & }; b & exec sleep ${mark}`],
        limits: { pids: 30, timeout_ms: 1500 },
      });
      const outcome = await driver.run(spec, { signal: new AbortController().signal });
      expect(outcome.kind).toBe('timeout');
      expect(outcome.stderr).toContain('Cannot fork');
      expect(await leftOf(requested, spec.run_id)).toEqual([]);
    });
  });

  describe('processor time', () => {
    it('is set before the program runs', async () => {
      const mark = marker();
      const stop = new AbortController();
      const spec = makeSpec(place, {
        argv: [`sleep ${mark}; true`],
        limits: { cpus: 0.5, pids: 40, memory_bytes: 100 * MiB },
      });
      const run = driver.run(spec, { signal: stop.signal });
      await vi.waitFor(() => expect(sleepersWith(mark)).toHaveLength(1), SOON);
      const folders = await cgroupsOf(requested, spec.run_id);
      const read = (...names: string[]): string =>
        folders
          .flatMap((folder) => names.map((name) => `${folder}/${name}`))
          .map((path) => {
            try {
              return readFileSync(path, 'utf8').trim();
            } catch {
              return '';
            }
          })
          .join('');
      const seen = {
        cpu: read('cpu.cfs_quota_us', 'cpu.max').split(' ')[0],
        memory: read('memory.limit_in_bytes', 'memory.max'),
        pids: Number(read('pids.max')),
        member: read('cgroup.procs').includes(String(sleepersWith(mark)[0])),
      };
      stop.abort();
      await run;
      expect(seen).toEqual({
        cpu: '50000',
        memory: String(100 * MiB),
        pids: 40 + TRAITS[requested].own_pids,
        member: true,
      });
      expect(await leftOf(requested, spec.run_id)).toEqual([]);
    });
  });

  describe('output', () => {
    it.each([
      ['lines without end', 'yes'],
      ['one line without end', 'tr "\\0" x < /dev/zero'],
      ['5 GB', 'head -c 5000000000 /dev/zero | tr "\\0" y'],
    ])('is capped: %s', async (_name, program) => {
      const outcome = await shell(driver, place, program);
      expect(outcome).toMatchObject({ kind: 'output_limit', exit_code: null, truncated: true });
      expect(Buffer.byteLength(outcome.stdout)).toBe(10 * MiB);
    });

    it('is capped on stderr as well, and for each stream by itself', async () => {
      const limits = { output_bytes: 1000 };
      const flooded = await shell(driver, place, 'echo ok; yes >&2', { limits });
      expect(flooded).toMatchObject({ kind: 'output_limit', truncated: true, stdout: 'ok\n' });
      expect(flooded.stderr).toHaveLength(1000);
      const full = await shell(
        driver,
        place,
        'head -c 1000 /dev/zero | tr "\\0" a; head -c 1000 /dev/zero | tr "\\0" b >&2',
        { limits },
      );
      expect(full).toMatchObject({ kind: 'exited', exit_code: 0, truncated: false });
    });

    it('keeps bytes that are no text', async () => {
      const outcome = await shell(driver, place, "printf 'a\\000\\377\\303\\251'");
      expect(outcome.stdout).toBe('a\\x00\\xffé');
    });

    it('is told as it comes, and is whole at the end', async () => {
      const parts: string[] = [];
      const outcome = await shell(
        driver,
        place,
        'printf one; sleep 0.2; printf two; echo err >&2',
        {},
        {
          onOutput: (stream, text) => parts.push(`${stream}:${text}`),
        },
      );
      expect(parts.filter((part) => part.startsWith('stdout'))).toEqual(['stdout:one', 'stdout:two']);
      expect(parts).toContain('stderr:err\n');
      expect(outcome.stdout).toBe('onetwo');
      const big = await shell(driver, place, 'seq 300000');
      expect(big.stdout.endsWith('299999\n300000\n')).toBe(true);
    });
  });

  describe('files', () => {
    it('are no larger than allowed', async () => {
      const outcome = await shell(driver, place, 'head -c 3000000 /dev/zero > big; wc -c < big', {
        workspace: { mode: 'ephemeral', dir: null },
        limits: { file_bytes: MiB },
      });
      expect(outcome.stdout.trim()).toBe(String(MiB));
    });
  });
});

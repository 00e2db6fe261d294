import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { after, Effects } from '../support/effects.js';
import { HAS_REDIS, type RedisServer } from '../support/redis.js';
import { startStack, type Stack } from '../support/stack.js';

/** The queue's lock on a job (15 s) is over after this, and those who look for stalled jobs have looked. */
const BEYOND_THE_LOCK_MS = 21_000;

describe.skipIf(!HAS_REDIS)('Redis', () => {
  let stack: Stack;
  let redis: RedisServer;
  let effects: Effects;

  beforeAll(async () => {
    const worker_env = { HCP_LEASE_MS: '3000', HCP_REAP_MS: '300' };
    stack = await startStack({ queue: 'redis', apis: 2, workers: 0, worker_env });
    if (!stack.redis) throw new Error('no redis');
    redis = stack.redis;
    effects = await Effects.make(stack);
  }, 120_000);

  afterEach(async () => {
    redis.thaw();
    await redis.start();
    await Promise.all(stack.workers.map((worker) => worker.stop()));
  });

  afterAll(() => stack.stop());

  /** Answers whatever becomes of Redis; a request that hangs fails the test. */
  const exec: Effects['exec'] = (...call) => effects.exec(...call);
  const run: Effects['run'] = (id) => effects.run(id);
  const status: Effects['status'] = (...wanted) => effects.status(...wanted);
  const lines: Effects['lines'] = (name) => effects.lines(name);
  const started: Effects['started'] = (id) => effects.started(id);

  const readiness = async () => (await fetch(`${stack.urls[0]}/readyz`)).status;

  it('is killed: calls are accepted all the same, and run after it came back empty', async () => {
    const [under_way, waiting] = [randomUUID(), randomUUID()];
    const worker = await stack.startWorker();
    const first = await exec('write', { name: under_way, ms: 4000 }, 0);
    await started(first.run_id);
    await redis.kill();
    const second = await exec('write', { name: waiting, ms: 1 }, 0);
    expect(second).toMatchObject({ code: 'still_running' });
    expect(await readiness()).toBe(503);
    expect(await status(first.run_id, 'succeeded')).toMatchObject({ attempts: 1 });
    expect(await run(second.run_id)).toMatchObject({ status: 'queued' });
    await redis.start();
    expect(await status(second.run_id, 'succeeded')).toMatchObject({ attempts: 1 });
    expect(await readiness()).toBe(200);
    expect([await lines(under_way), await lines(waiting)]).toEqual([1, 1]);
    await worker.stop();
  });

  it('is killed: a run under way can still be cancelled, from the other replica', async () => {
    const name = randomUUID();
    const worker = await stack.startWorker();
    const { run_id } = await exec('write', { name, ms: 60_000 }, 0);
    await started(run_id);
    await redis.kill();
    const answer = await fetch(`${stack.urls[1] ?? ''}/v1/runs/${String(run_id)}/cancel`, {
      method: 'POST',
      headers: { authorization: `Bearer ${effects.owner.token}` },
    });
    expect(answer.status).toBe(200);
    await status(run_id, 'cancelled');
    await redis.start();
    await worker.stop();
  });

  it('is killed: a run whose worker died ends unknown, with nobody to put anything in line', async () => {
    const name = randomUUID();
    const [worker, other] = [await stack.startWorker(), await stack.startWorker()];
    const runs = [await exec('write', { name, ms: 60_000 }, 0)];
    await started(runs[0]?.run_id ?? null);
    await redis.kill();
    for (const one of [worker, other]) one.kill('SIGKILL');
    const third = await stack.startWorker();
    expect(await status(runs[0]?.run_id ?? null, 'unknown')).toMatchObject({ code: 'outcome_unknown', attempts: 1 });
    await redis.start();
    expect(await lines(name)).toBe(1);
    await third.stop();
  });

  it('is frozen beyond the life of the lock, the worker paused and continued: one effect each', async () => {
    const [paused, steady] = [randomUUID(), randomUUID()];
    const worker = await stack.startWorker();
    const lost = await exec('write', { name: paused, ms: 45_000 }, 0);
    await started(lost.run_id);
    worker.kill('SIGSTOP');
    const other = await stack.startWorker();
    await status(lost.run_id, 'unknown');
    const kept = await exec('write', { name: steady, ms: BEYOND_THE_LOCK_MS + 3000 }, 0);
    await started(kept.run_id);
    redis.freeze();
    const during = await exec('write', { name: randomUUID(), ms: 1 }, 0);
    expect(during).toMatchObject({ code: 'still_running' });
    await after(BEYOND_THE_LOCK_MS);
    redis.thaw();
    worker.kill('SIGCONT');
    expect(await status(kept.run_id, 'succeeded')).toMatchObject({ attempts: 1 });
    expect(await status(during.run_id, 'succeeded')).toMatchObject({ attempts: 1 });
    expect(await run(lost.run_id)).toMatchObject({ status: 'unknown', attempts: 1 });
    expect([await lines(paused), await lines(steady)]).toEqual([1, 1]);
    await worker.stop();
    await other.stop();
  }, 150_000);

  it('is frozen: a worker that is told to stop finishes its run and ends by itself', async () => {
    const name = randomUUID();
    const worker = await stack.startWorker();
    const { run_id } = await exec('write', { name, ms: 3000 }, 0);
    await started(run_id);
    redis.freeze();
    // No SIGKILL follows: it has to end by itself.
    worker.kill('SIGTERM');
    await worker.exited;
    expect(await run(run_id)).toMatchObject({ status: 'succeeded', attempts: 1 });
    redis.thaw();
  });
});

import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { openBus, openConsumer, openQueue, type Backend, type BusMessage, type RunJob } from '@hcp/queue';
import { eventually } from '../../support/process.js';
import { HAS_REDIS, startRedis, type RedisOptions, type RedisServer } from '../../support/redis.js';

/** What only Redis does: it is another server, which can be lost while PostgreSQL goes on. */
describe.skipIf(!HAS_REDIS)('a Redis', () => {
  const close: (() => Promise<void>)[] = [];
  const errors: Error[] = [];

  afterEach(async () => {
    for (const one of close.splice(0).reverse()) await one();
    errors.length = 0;
  });

  async function redis(options?: RedisOptions): Promise<{ server: RedisServer; backend: Backend }> {
    const server = await startRedis(options);
    close.push(() => server.stop());
    return { server, backend: at(server.url) };
  }

  const at = (redis_url: string): Backend => ({ redis_url, onError: (error) => void errors.push(error) });

  function opened<T extends { close(): Promise<void> }>(one: T): T {
    close.push(() => one.close());
    return one;
  }

  const job = (): RunJob => ({ tenant_id: randomUUID(), run_id: randomUUID() });

  function collector(backend: Backend): RunJob[] {
    const taken: RunJob[] = [];
    const handle = (one: RunJob) => Promise.resolve(void taken.push(one));
    opened(openConsumer(backend, handle, { concurrency: 2 }));
    return taken;
  }

  it('that is killed refuses what is put in line, and does not get it afterwards either', async () => {
    const { server, backend } = await redis();
    const queue = opened(openQueue(backend));
    const bus = opened(openBus(backend));
    await queue.enqueue(job());
    await server.kill();
    const refused = await Promise.allSettled([
      ...Array.from({ length: 200 }, () => queue.enqueue(job())),
      bus.publish('run.changed', job()),
      bus.subscribe('run.changed', () => undefined),
    ]);
    expect(refused.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    expect(await queue.ready()).toBe(false);
    await server.start();
    await eventually('the queue is back', () => queue.ready());
    const last = job();
    await queue.enqueue(last);
    const keys = await server.say('KEYS hcp:runs:*-0');
    expect(keys).toContain(`hcp:runs:${last.run_id}-0`);
    expect(keys.match(/hcp:runs:/g)).toHaveLength(1);
  });

  it('that is frozen refuses what is put in line, and works again after', async () => {
    const { server, backend } = await redis();
    const queue = opened(openQueue(backend));
    await queue.enqueue(job());
    server.freeze();
    await expect(queue.enqueue(job())).rejects.toThrow(/redis: /);
    expect(await queue.ready()).toBe(false);
    server.thaw();
    await eventually('the queue is back', () => queue.ready());
    await queue.enqueue(job());
  });

  it('that comes back is used again by its consumers', async () => {
    const { server, backend } = await redis();
    const queue = opened(openQueue(backend));
    const taken = collector(backend);
    for (let times = 1; times <= 3; times += 1) {
      await eventually('the queue is back', () => queue.ready());
      await queue.enqueue(job());
      await eventually('it was taken', () => Promise.resolve(taken.length === times));
      await server.kill();
      await server.start();
    }
  });

  it('that keeps its data gives what was in line to consumers after its return', async () => {
    const { server, backend } = await redis({ keeps: true });
    const queue = opened(openQueue(backend));
    const [waiting, delayed] = [job(), job()];
    await queue.enqueue(waiting);
    await queue.enqueue(delayed, { delay_ms: 500 });
    await server.kill();
    const taken = collector(backend);
    await server.start();
    await eventually('both were taken', () => Promise.resolve(taken.length === 2));
    expect(taken).toEqual(expect.arrayContaining([waiting, delayed]));
  });

  it('that is not there yet is waited for', async () => {
    const { server, backend } = await redis();
    await server.kill();
    const queue = opened(openQueue(backend));
    const taken = collector(backend);
    await expect(queue.enqueue(job())).rejects.toThrow(/redis: /);
    await server.start();
    await eventually('the queue is there', () => queue.ready());
    await queue.enqueue(job());
    await eventually('it was taken', () => Promise.resolve(taken.length === 1));
  });

  it('that comes back carries messages again', async () => {
    const { server, backend } = await redis();
    const [one, two] = [opened(openBus(backend)), opened(openBus(backend))];
    const heard: BusMessage[] = [];
    await one.subscribe('run.cancel', (message) => void heard.push(message));
    for (const lose of [() => server.kill(), () => Promise.resolve(server.freeze())]) {
      await lose();
      await expect(two.publish('run.cancel', job())).rejects.toThrow(/redis: /);
      server.thaw();
      await server.kill();
      await server.start();
      const sent = job();
      await eventually('a message comes', async () => {
        await two.publish('run.cancel', sent).catch(() => undefined);
        return heard.some(({ run_id }) => run_id === sent.run_id);
      });
    }
  });

  it.each([
    ['gone', (server: RedisServer) => server.kill()],
    ['frozen', (server: RedisServer) => Promise.resolve(server.freeze())],
  ])('that is %s does not keep a consumer or anything else from closing', async (_how, lose) => {
    const { server, backend } = await redis();
    const [queue, bus] = [openQueue(backend), openBus(backend)];
    await bus.subscribe('run.changed', () => undefined);
    let done = false;
    let taken = false;
    const consumer = openConsumer(
      backend,
      async () => {
        taken = true;
        await new Promise((resolve) => setTimeout(resolve, 500));
        done = true;
      },
      { concurrency: 1 },
    );
    await queue.enqueue(job());
    await eventually('it was taken', () => Promise.resolve(taken || done));
    // Only now: it would have taken the job as well as the first.
    const idle = openConsumer(backend, () => Promise.resolve(), { concurrency: 1 });
    await lose(server);
    await Promise.all([consumer.close(), idle.close(), queue.close(), bus.close()]);
    expect(done || !taken).toBe(true);
  });

  it('with a password is not used without the right one, which no error tells', async () => {
    const password = `p${randomUUID().replaceAll('-', '')}`;
    const { server, backend } = await redis({ password });
    const wrong = password.replace(/^p/, 'q');
    const bad = at(server.url.replace(password, wrong));
    const [queue, bus] = [opened(openQueue(bad)), opened(openBus(bad))];
    const taken = collector(bad);
    const refusals = await Promise.allSettled([
      queue.enqueue(job()),
      bus.publish('run.changed', job()),
      bus.subscribe('run.changed', () => undefined),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await queue.ready()).toBe(false);
    expect(errors).not.toEqual([]);
    const told = inspect([errors, refusals], { depth: null, showHidden: true });
    expect(told).toContain('WRONGPASS');
    for (const secret of [password, wrong]) expect(told).not.toContain(secret);
    const good = opened(openQueue(backend));
    await good.enqueue(job());
    expect(await good.ready()).toBe(true);
    expect(taken).toEqual([]);
  });

  it('holds the ids of runs and nothing else of them', async () => {
    const { server, backend } = await redis();
    const queue = opened(openQueue(backend));
    const run = job();
    await queue.enqueue(run);
    const stored = await server.say(`HGET hcp:runs:${run.run_id}-0 data`);
    expect(JSON.parse(/\{.*\}/.exec(stored)?.[0] ?? '')).toEqual(run);
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openBus, openConsumer, openQueue, type Backend, type BusMessage, type RunJob } from '@hcp/queue';
import { createTestDatabase, type TestDatabase } from '@hcp/testing';
import { eventually } from '../../support/process.js';
import { onEveryQueue } from '../../support/queues.js';
import { startRedis, type RedisServer } from '../../support/redis.js';

onEveryQueue((kind) => {
  let database: TestDatabase | null = null;
  let redis: RedisServer | null = null;
  let backend: Backend;
  const errors: Error[] = [];
  const open: { close(): Promise<void> }[] = [];

  function opened<T extends { close(): Promise<void> }>(one: T): T {
    open.push(one);
    return one;
  }

  const job = (): RunJob => ({ tenant_id: randomUUID(), run_id: randomUUID() });

  beforeAll(async () => {
    const onError = (error: Error) => void errors.push(error);
    if (kind === 'redis') {
      redis = await startRedis();
      backend = { redis_url: redis.url, onError };
    } else {
      database = await createTestDatabase();
      backend = { postgres_url: database.queue_url, onError };
    }
  });

  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
    errors.length = 0;
  });

  afterAll(async () => {
    await redis?.stop();
    await database?.close();
  });

  /** A consumer that keeps what it is given. */
  function collector(concurrency = 4): RunJob[] {
    const taken: RunJob[] = [];
    opened(
      openConsumer(
        backend,
        (one) => {
          taken.push(one);
          return Promise.resolve();
        },
        { concurrency },
      ),
    );
    return taken;
  }

  describe('the queue', () => {
    it('hands over what was put in line, before and after the consumer came', async () => {
      const queue = opened(openQueue(backend));
      const [before, after] = [job(), job()];
      await queue.enqueue(before);
      const taken = collector();
      await queue.enqueue(after);
      await eventually('both were taken', () => Promise.resolve(taken.length === 2));
      expect(taken).toEqual(expect.arrayContaining([before, after]));
      expect(await queue.ready()).toBe(true);
    });

    it('takes an attempt once, the next attempt again, and of many turns that were put back two', async () => {
      const queue = opened(openQueue(backend));
      const run = job();
      for (let times = 0; times < 5; times += 1) await queue.enqueue(run);
      await queue.enqueue(run, { attempt: 1 });
      for (let turn = 1; turn <= 6; turn += 1) await queue.enqueue({ ...run, turn }, { delay_ms: 50 });
      const last = job();
      const taken = collector(1);
      await eventually('all were taken', () => Promise.resolve(taken.length >= 4));
      await queue.enqueue(last);
      await eventually('the last was taken', () => Promise.resolve(taken.some((one) => one.run_id === last.run_id)));
      expect(taken.filter((one) => one.run_id === run.run_id)).toHaveLength(4);
    });

    it('takes the same attempt again once it is over', async () => {
      const queue = opened(openQueue(backend));
      const run = job();
      const taken = collector();
      for (let times = 1; times <= 3; times += 1) {
        await eventually(`taken ${String(times)} times`, async () => {
          await queue.enqueue(run);
          return taken.length >= times;
        });
      }
    });

    it('keeps what has a delay back until then', async () => {
      const queue = opened(openQueue(backend));
      const order: string[] = [];
      opened(
        openConsumer(
          backend,
          ({ run_id }) => {
            order.push(run_id);
            return Promise.resolve();
          },
          { concurrency: 1 },
        ),
      );
      const [late, soon] = [job(), job()];
      await queue.enqueue(late, { delay_ms: 1500 });
      await queue.enqueue(soon, { delay_ms: 100 });
      await eventually('both were taken', () => Promise.resolve(order.length === 2));
      expect(order).toEqual([soon.run_id, late.run_id]);
    });

    it('reports what a handler throws, once, and goes on; the message does not stay in the queue', async () => {
      const queue = opened(openQueue(backend));
      const calls: string[] = [];
      opened(
        openConsumer(
          backend,
          ({ run_id }) => {
            calls.push(run_id);
            return Promise.reject(new Error('canary-in-a-message'));
          },
          { concurrency: 1 },
        ),
      );
      const [first, second] = [job(), job()];
      await queue.enqueue(first);
      await queue.enqueue(second);
      await eventually('both were taken', () => Promise.resolve(calls.length === 2));
      await eventually('both are reported', () => Promise.resolve(errors.length === 2));
      expect(errors.map(({ message }) => message)).toEqual(['canary-in-a-message', 'canary-in-a-message']);
      if (redis) {
        const events = await redis.say('KEYS *', 'XRANGE hcp:runs:events - +');
        expect(events).toContain(first.run_id);
        expect(events).not.toContain('canary');
      }
    });

    it('closes after the jobs in hand', async () => {
      const queue = opened(openQueue(backend));
      let finish: () => void = () => undefined;
      let state = 'waiting';
      const consumer = openConsumer(
        backend,
        async () => {
          state = 'in hand';
          await new Promise<void>((resolve) => (finish = resolve));
          state = 'done';
        },
        { concurrency: 1 },
      );
      await queue.enqueue(job());
      await eventually('it is in hand', () => Promise.resolve(state === 'in hand'));
      const closed = consumer.close().then(() => state);
      finish();
      expect(await closed).toBe('done');
    });
  });

  describe('the bus', () => {
    it('tells every subscriber of the topic in every process, and nobody after the end', async () => {
      const [one, two] = [opened(openBus(backend)), opened(openBus(backend))];
      const heard: string[] = [];
      const hear = (name: string) => (message: BusMessage) => void heard.push(`${name} ${message.run_id}`);
      const end = await one.subscribe('run.changed', hear('one'));
      await two.subscribe('run.changed', hear('two'));
      await two.subscribe('run.cancel', hear('cancel'));
      const [first, second] = [job(), job()];
      await two.publish('run.changed', first);
      await eventually('both heard', () => Promise.resolve(heard.length === 2));
      end();
      await one.publish('run.changed', second);
      await one.publish('run.cancel', second);
      await eventually('the others heard', () => Promise.resolve(heard.length === 4));
      expect(heard.sort()).toEqual(
        [`one ${first.run_id}`, `two ${first.run_id}`, `two ${second.run_id}`, `cancel ${second.run_id}`].sort(),
      );
    });

    it('drops what is no message', async () => {
      const bus = opened(openBus(backend));
      const heard: BusMessage[] = [];
      await bus.subscribe('run.changed', (message) => void heard.push(message));
      await bus.publish('run.changed', { tenant_id: 'x', run_id: 'y' });
      const good = job();
      await bus.publish('run.changed', good);
      await eventually('the good one came', () => Promise.resolve(heard.length > 0));
      expect(heard).toEqual([good]);
    });
  });
});

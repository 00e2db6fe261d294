import { randomUUID } from 'node:crypto';
import { createPostgresBackend, Queue, Worker } from 'bullmq';
import { runJobSchema } from './messages.js';
import type { ConsumerOptions, RunConsumer, RunJob, RunQueue } from './port.js';

const QUEUE_NAME = 'runs';

/** Where BullMQ keeps its tables: a schema of its own, owned by a role of its own. */
export interface PostgresQueueOptions {
  /** Connection string of the queue's role. */
  readonly url: string;
  readonly onError: (error: Error) => void;
}

function connection(url: string, migrate: boolean) {
  return { connectionString: url, migrate, keepAlive: true };
}

/** BullMQ on PostgreSQL, the embedded default (SPEC R1). */
export function postgresQueue({ url, onError }: PostgresQueueOptions): RunQueue {
  const queue = new Queue(QUEUE_NAME, { connection: connection(url, true) }, createPostgresBackend);
  queue.on('error', onError);
  return {
    async enqueue(job: RunJob, { attempt = 0, delay_ms = 0 } = {}) {
      // An attempt waits in line once. What a worker puts back needs another id: its own job is not over yet.
      const jobId = delay_ms > 0 ? randomUUID() : `${job.run_id}-${String(attempt)}`;
      await queue.add('run', job, {
        jobId,
        attempts: 1,
        removeOnComplete: true,
        removeOnFail: true,
        ...(delay_ms > 0 && { delay: delay_ms }),
      });
    },
    async ready() {
      try {
        await queue.waitUntilReady();
        await queue.getActiveCount();
        return true;
      } catch {
        return false;
      }
    },
    close: () => queue.close(),
  };
}

/** Takes jobs and calls `handle` for each. What `handle` throws is reported, never retried by the queue. */
export function postgresConsumer(
  { url, onError }: PostgresQueueOptions,
  handle: (job: RunJob) => Promise<void>,
  { concurrency }: Pick<ConsumerOptions, 'concurrency'>,
): RunConsumer {
  const worker = new Worker(
    QUEUE_NAME,
    async (job) => {
      await handle(runJobSchema.parse(job.data));
    },
    {
      connection: connection(url, true),
      concurrency,
      // A stalled job is not run again by the queue; the reaper decides from the run row what may be.
      maxStalledCount: 0,
      stalledInterval: 5000,
      lockDuration: 15_000,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    },
    createPostgresBackend,
  );
  worker.on('error', onError);
  worker.on('failed', (_job, error) => onError(error));
  return { close: () => worker.close() };
}

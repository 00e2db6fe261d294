import { createPostgresBackend, Queue, Worker } from 'bullmq';
import { within } from '../deadline.js';
import { JOB_NAME, jobOptions, QUEUE_NAME, take, WORKER_OPTIONS, type Handle } from '../jobs.js';
import type { ConsumerOptions, RunConsumer, RunQueue } from '../port.js';

/** The first one may have to wait until the queue's tables are made. */
const ENQUEUE_MS = 10_000;

/** BullMQ keeps its tables in a schema of its own, owned by a role of its own: `url` is that role's. */
function connection(url: string) {
  return { connectionString: url, migrate: true, keepAlive: true };
}

/** BullMQ on PostgreSQL, the embedded default (SPEC R1). */
export function postgresQueue(url: string, onError: (error: Error) => void): RunQueue {
  const queue = new Queue(QUEUE_NAME, { connection: connection(url) }, createPostgresBackend);
  queue.on('error', onError);
  return {
    async enqueue(job, options) {
      await within(ENQUEUE_MS, queue.add(JOB_NAME, job, jobOptions(job, options)));
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

export function postgresConsumer(url: string, handle: Handle, { concurrency, onError }: ConsumerOptions): RunConsumer {
  const worker = new Worker(
    QUEUE_NAME,
    (job) => take(job.data, handle, onError),
    { ...WORKER_OPTIONS, connection: connection(url), concurrency },
    createPostgresBackend,
  );
  worker.on('error', onError);
  worker.on('failed', (_job, error) => onError(error));
  return { close: () => worker.close() };
}

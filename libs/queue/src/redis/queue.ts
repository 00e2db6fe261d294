import { Queue, Worker } from 'bullmq';
import { within } from '../deadline.js';
import { JOB_NAME, jobOptions, QUEUE_NAME, take, WORKER_OPTIONS, type Handle } from '../jobs.js';
import type { ConsumerOptions, RunConsumer, RunQueue } from '../port.js';
import { COMMAND_MS, connected, PatientConnection, promptConnection } from './connection.js';
import { plainError, quietly } from './errors.js';

const PREFIX = 'hcp';
/** The queue's own log of events, which nobody here reads. */
const EVENTS_KEPT = 100;
/** How long a consumer that has finished its work may take to say goodbye. */
const GOODBYE_MS = 3000;

/** BullMQ on Redis (SPEC R1). With Redis lost, `enqueue` rejects within seconds; the reaper puts the run in line later. */
export function redisQueue(url: string, onError: (error: Error) => void): RunQueue {
  const report = quietly(onError);
  const connection = promptConnection(url);
  const queue = new Queue(QUEUE_NAME, {
    connection,
    prefix: PREFIX,
    streams: { events: { maxLen: EVENTS_KEPT } },
    // The first question would be asked once: if it fails, the queue would stay broken for good. Consumers ask it.
    skipVersionCheck: true,
  });
  queue.on('error', report);
  return {
    async enqueue(job, options) {
      try {
        await connected(connection);
        await within(COMMAND_MS, queue.add(JOB_NAME, job, jobOptions(job, options)));
      } catch (error) {
        throw plainError(error);
      }
    },
    async ready() {
      try {
        if (connection.status !== 'ready') return false;
        await within(COMMAND_MS, connection.ping());
        return true;
      } catch {
        return false;
      }
    },
    async close() {
      await queue.close();
      connection.disconnect();
    },
  };
}

export function redisConsumer(url: string, handle: Handle, { concurrency, onError }: ConsumerOptions): RunConsumer {
  const report = quietly(onError);
  const connection = new PatientConnection(url);
  const inHand = new Set<Promise<void>>();
  const worker = new Worker(
    QUEUE_NAME,
    async (job) => {
      const work = take(job.data, handle, onError);
      inHand.add(work);
      await work.finally(() => inHand.delete(work));
    },
    { ...WORKER_OPTIONS, connection, prefix: PREFIX, concurrency },
  );
  worker.on('error', report);
  worker.on('failed', (_job, error) => report(error));
  return {
    async close() {
      const goodbye = worker.close();
      while (inHand.size > 0) await Promise.all(inHand);
      // It waits to tell Redis what became of its jobs. Without Redis that is for ever, and the run rows know.
      await within(GOODBYE_MS, goodbye).catch(report);
      connection.cut();
    },
  };
}

import type { JobsOptions, WorkerOptions } from 'bullmq';
import { runJobSchema } from './messages.js';
import type { EnqueueOptions, RunJob } from './port.js';

/** What is the same on both backends: names, how a job is added, how it is taken. */
export const QUEUE_NAME = 'runs';
export const JOB_NAME = 'run';

/**
 * An attempt waits in line once. What a worker puts back has its own job still in hand, so it takes the other of two ids:
 * however many put a run back, at most two of its turns are in line.
 */
export function jobOptions(job: RunJob, { attempt = 0, delay_ms = 0 }: EnqueueOptions = {}): JobsOptions {
  return {
    jobId: job.turn === undefined ? `${job.run_id}-${String(attempt)}` : `${job.run_id}-turn-${String(job.turn % 2)}`,
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: true,
    ...(delay_ms > 0 && { delay: delay_ms }),
  };
}

/** A stalled job is not run again by the queue; the reaper decides from the run row what may be. */
export const WORKER_OPTIONS = {
  maxStalledCount: 0,
  stalledInterval: 5000,
  lockDuration: 15_000,
  runRetryDelay: 1000,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
} satisfies Omit<WorkerOptions, 'connection'>;

export type Handle = (job: RunJob) => Promise<void>;

/**
 * Calls `handle` for the data of a job. What it throws is reported and goes no further: a failed job's message would be
 * kept by the queue, and a message may say more than the queue is to know.
 */
export async function take(data: unknown, handle: Handle, onError: (error: Error) => void): Promise<void> {
  try {
    await handle(runJobSchema.parse(data));
  } catch (error) {
    onError(error as Error);
  }
}

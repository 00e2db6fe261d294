/** What the queue carries: the run row in the database is the truth, this only names it (SPEC R1). */
export interface RunJob {
  readonly tenant_id: string;
  readonly run_id: string;
  /** How often a worker has put this job back; absent: never. */
  readonly turn?: number;
}

/** Hands runs to workers. Delivery is at least once: the fence in the run row makes it one run (SPEC R2). */
export interface RunQueue {
  /**
   * Puts a run in line; ignored where this attempt is there already, unless a worker puts it back with a delay.
   * Rejects within seconds where the backend does not take it.
   */
  enqueue(job: RunJob, options?: EnqueueOptions): Promise<void>;
  /** True when the backend answers. */
  ready(): Promise<boolean>;
  close(): Promise<void>;
}

export interface EnqueueOptions {
  /** Attempts that were made before. */
  readonly attempt?: number;
  readonly delay_ms?: number;
}

export interface RunConsumer {
  /** Stops taking jobs, waits for those in hand, closes. */
  close(): Promise<void>;
}

export interface ConsumerOptions {
  /** Runs in parallel in this process. */
  readonly concurrency: number;
  readonly onError: (error: Error) => void;
}

/** Messages between processes: best effort, at most once, so whoever waits also looks at the database. */
export interface Bus {
  publish<T extends BusTopic>(topic: T, message: BusMessages[T]): Promise<void>;
  /** Resolves once messages arrive, rejects where they do not; the returned function ends the subscription. */
  subscribe<T extends BusTopic>(topic: T, listener: (message: BusMessages[T]) => void): Promise<() => void>;
  close(): Promise<void>;
}

export interface BusMessages {
  /** A run has another status. */
  readonly 'run.changed': BusMessage;
  /** A command printed more. */
  readonly 'run.output': BusMessage;
  /** Stop it, whoever runs it. */
  readonly 'run.cancel': BusMessage;
  /** The tenant's events may have grown. */
  readonly 'events.new': { readonly tenant_id: string };
}

export type BusTopic = keyof BusMessages;

export interface BusMessage {
  readonly tenant_id: string;
  readonly run_id: string;
}

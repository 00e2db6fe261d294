/** Limits of the run queue; all in milliseconds. Each clock holds by itself (SPEC R3). */
export interface RunsConfig {
  /** How long a run may wait for a worker. */
  readonly queue_timeout_ms: number;
  /** How long a command may run where its pack says nothing. */
  readonly run_timeout_ms: number;
  /** A worker that has not renewed its lease for this long has lost the run. */
  readonly lease_ms: number;
  /** How long a call waits for its result where it says nothing, and at most (SPEC E6). */
  readonly wait_ms: number;
  readonly max_wait_ms: number;
  /** How long an idempotency key is remembered (SPEC E7). */
  readonly idempotency_ttl_ms: number;
}

export const DEFAULT_RUNS_CONFIG: RunsConfig = {
  queue_timeout_ms: 10 * 60_000,
  run_timeout_ms: 60_000,
  lease_ms: 15_000,
  wait_ms: 30_000,
  max_wait_ms: 120_000,
  idempotency_ttl_ms: 24 * 3_600_000,
};

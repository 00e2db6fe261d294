import type { ExecEnvelope, ResultEnvelope } from '@hcp/core';

export interface CallOptions {
  /** Stops waiting for the answer; a run that was accepted goes on (SPEC E6). */
  readonly signal?: AbortSignal;
}

/** What runs an envelope: the hosted API, or later a local driver (SPEC I4). */
export interface Runtime {
  readonly name: string;
  /** Never throws for a refusal or a failure; only the caller's own abort rejects. */
  exec(envelope: ExecEnvelope, options?: CallOptions): Promise<ResultEnvelope>;
}

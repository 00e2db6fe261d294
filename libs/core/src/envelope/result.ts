import type { ApprovalRequest } from '../approvals/request.js';
import type { ExecCode } from '../errors/codes.js';

/** The exact command a person would confirm, without control words and the JSON flag (SPEC E5). */
export interface Preview {
  readonly command: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly cli: string;
}

/** What every exec answers (SPEC E5), refusals too. */
export interface ResultEnvelope {
  readonly ok: boolean;
  readonly pack_id: string | null;
  readonly verb_key: string | null;
  /** Standard output as one JSON document, else as text; null where nothing ran. */
  readonly result: unknown;
  readonly error?: string;
  readonly code?: ExecCode;
  /** What to do next, on every ask and refusal. */
  readonly hint?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exit_code?: number;
  /** Null where the call became no run. */
  readonly run_id: string | null;
  /** Milliseconds from acceptance to the end. */
  readonly duration_ms: number;
  readonly truncated?: boolean;
  /** Present while the run has not ended. */
  readonly status?: RunStatus;
  readonly access?: AccessSummary;
  readonly preview?: Preview;
  /** With `confirm_required`: what a person is asked with. */
  readonly approval?: ApprovalRequest;
  /** The request that waits, or the one that the run used. */
  readonly approval_id?: string;
  /** Of a run whose result is no longer kept: when it was erased (SPEC R5). */
  readonly output_erased_at?: string;
  readonly retry_after_ms?: number;
}

export interface AccessSummary {
  readonly mode: string;
  readonly reason: string;
  readonly reason_code: string;
  readonly approvals: string;
}

/** SPEC R2. */
export const RUN_STATUSES = [
  'queued',
  'starting',
  'running',
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'unknown',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

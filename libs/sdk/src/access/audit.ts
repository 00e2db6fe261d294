import type { PrincipalKind } from '@hcp/core';

/** One decision, or the end of one run (SPEC U1). Names of arguments, never values. */
export interface AuditEvent {
  readonly action: 'exec.decision' | 'exec.completion';
  /** RFC 3339. */
  readonly at: string;
  readonly principal_id: string;
  /** `agent` where the call counts as one. */
  readonly principal_kind: PrincipalKind;
  readonly tenant_id: string;
  readonly project_id: string | null;
  /** The family of the credential that the command runs with. */
  readonly binding: string | null;
  readonly pack_id: string;
  readonly pack_version: string | null;
  readonly verb_key: string;
  readonly operation: string | null;
  readonly decision: 'allow' | 'ask' | 'deny';
  /** Why it was decided so; null for what just runs. */
  readonly reason: string | null;
  /** The code of a refusal, an ask or a failed run. */
  readonly code: string | null;
  readonly mode: string | null;
  /** `human`, `agent`, `rule` or `mode`; null where nobody approved. */
  readonly approved_by: string | null;
  /** The request that was made or used, or the host's own id of a yes. */
  readonly approval_id: string | null;
  /** Whether the command was started; null where nobody knows. */
  readonly ran: boolean | null;
  readonly exit_code: number | null;
  /** Milliseconds; null for a decision. */
  readonly duration_ms: number | null;
  /** Those that the command knows. */
  readonly arg_names: readonly string[];
  /** `sha256:<hex>` of the arguments' canonical JSON; null where they are none. */
  readonly args_digest: string | null;
  readonly run_id: string | null;
}

export type AuditSink = (event: AuditEvent) => unknown;

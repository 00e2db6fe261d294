import {
  type Caller,
  type Decision,
  type Denial,
  type ExecCode,
  type ExecEnvelope,
  type Plan,
  type ResultEnvelope,
} from '@hcp/core';
import type { AuditEvent, AuditSink } from './audit.js';
import { argsDigest } from './digest.js';

/** How a call was decided in the end. */
export type Decided =
  | { readonly decision: 'deny'; readonly denial: Denial }
  | { readonly decision: 'ask'; readonly denial: Denial; readonly approval_id?: string | undefined }
  | {
      readonly decision: 'allow';
      readonly word: { readonly approved_by: string | null; readonly approval_id: string | null };
      readonly run_id: string;
    };

export interface Ended {
  readonly run_id: string;
  readonly word: { readonly approved_by: string | null; readonly approval_id: string | null };
  readonly result: Partial<ResultEnvelope>;
  readonly duration_ms: number;
}

/** With these a command was not started. */
const NOT_STARTED: readonly ExecCode[] = [
  'invalid_envelope',
  'unknown_pack',
  'pack_not_activated',
  'no_policy',
  'land_requires_project',
  'missing_capability',
  'invalid_args',
  'denied_by_rule',
  'confirm_required',
  'human_only',
  'mint_failed',
  'bin_not_allowlisted',
  'audit_unavailable',
  'idempotency_conflict',
  'rate_limited',
  'sandbox_unavailable',
  'unauthenticated',
  'unreachable',
];

/** Writes what was decided and how it ended (SPEC U1). Answers false where the host's sink failed. */
export class AuditTrail {
  constructor(
    private readonly sink: AuditSink | null,
    private readonly caller: Caller,
  ) {}

  async decision(envelope: ExecEnvelope, decision: Decision, decided: Decided): Promise<boolean> {
    if (this.sink === null) return true;
    const plan = decision.decision === 'allow' ? decision.plan : (decision.plan ?? null);
    const known = plan === null && decision.decision !== 'allow' ? decision.known : null;
    const judged = plan?.judged;
    const allowed = decided.decision === 'allow' ? decided : null;
    const denial = decided.decision === 'allow' ? null : decided.denial;
    return this.#write({
      ...(await this.#about(envelope, plan)),
      action: 'exec.decision',
      ...(known && {
        binding: known.family ?? null,
        pack_version: known.pack_version ?? null,
        operation: known.operation ?? null,
        project_id: known.project_id ?? null,
        mode: known.mode ?? null,
        arg_names: known.arg_names ?? [],
      }),
      decision: decided.decision,
      reason:
        denial?.code === 'confirm_required' ? (judged?.reason_code ?? null) : (denial?.error ?? judged?.reason ?? null),
      code: denial?.code ?? null,
      approved_by: allowed?.word.approved_by ?? null,
      approval_id: allowed?.word.approval_id ?? (decided.decision === 'ask' ? (decided.approval_id ?? null) : null),
      ran: false,
      exit_code: null,
      duration_ms: null,
      run_id: allowed?.run_id ?? null,
    });
  }

  async completion(
    { envelope, plan }: { readonly envelope: ExecEnvelope; readonly plan: Plan },
    { run_id, word, result, duration_ms }: Ended,
  ): Promise<boolean> {
    if (this.sink === null) return true;
    const { code = null } = result;
    return this.#write({
      ...(await this.#about(envelope, plan)),
      action: 'exec.completion',
      decision: 'allow',
      reason: null,
      code,
      ...word,
      ran: code === 'outcome_unknown' ? null : code === null || !NOT_STARTED.includes(code),
      exit_code: result.exit_code ?? null,
      duration_ms: Math.round(duration_ms),
      run_id,
    });
  }

  async #about(
    { pack_id, verb_key, args }: ExecEnvelope,
    plan: Plan | null,
  ): Promise<
    Omit<
      AuditEvent,
      | 'action'
      | 'decision'
      | 'reason'
      | 'code'
      | 'approved_by'
      | 'approval_id'
      | 'ran'
      | 'exit_code'
      | 'duration_ms'
      | 'run_id'
    >
  > {
    const { principal, tenant_id, is_agent, session } = this.caller;
    return {
      at: new Date().toISOString(),
      principal_id: principal.id,
      principal_kind: is_agent ? 'agent' : principal.kind,
      tenant_id,
      project_id: plan === null ? session.project_id : plan.project_id,
      binding: plan?.family ?? null,
      pack_id,
      pack_version: plan?.pack.manifest.version ?? null,
      verb_key,
      operation: plan?.operation ?? null,
      mode: plan?.mode ?? null,
      arg_names: plan?.arg_names ?? [],
      args_digest: await argsDigest(plan === null ? args : plan.args),
    };
  }

  async #write(event: AuditEvent): Promise<boolean> {
    try {
      await this.sink?.(Object.freeze(event));
      return true;
    } catch {
      return false;
    }
  }
}

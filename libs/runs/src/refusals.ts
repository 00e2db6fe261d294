import { appendAudit, type AuditInput } from '@hcp/audit';
import type { ExecPreview } from '@hcp/contracts';
import {
  hintAfterNo,
  renderPreview,
  type AccessLayers,
  type AccessSummary,
  type ApprovalRequest,
  type Caller,
  type Decision,
  type Denial,
  type ExecEnvelope,
  type KnownFacts,
  type Preview,
  type ResultEnvelope,
} from '@hcp/core';
import type { Tx } from '@hcp/database';
import { cardOf } from './asking.js';
import { callerFacts, envelopeFacts } from './audit-facts.js';
import type { LoadedFacts } from './ports.js';

/** A call that becomes no run. */
export interface Refused {
  readonly kind: 'denied';
  readonly denial: Denial;
  readonly access?: AccessSummary;
  readonly preview?: Preview;
  readonly approval?: ApprovalRequest;
  /** Where it is not known whether the call became a run: the id to look for. */
  readonly run_id?: string;
}

export interface NoRun {
  readonly action?: string;
  readonly decision: Decision['decision'];
  readonly code: Denial['code'] | null;
  readonly reason?: string | null;
  readonly known: KnownFacts;
  readonly more?: Partial<AuditInput>;
}

/** Writes down what became no run. */
export async function auditDenial(
  tx: Tx,
  caller: Caller,
  envelope: ExecEnvelope,
  facts: LoadedFacts,
  { action = 'exec.decision', decision, code, reason, known, more }: NoRun,
): Promise<void> {
  await appendAudit(tx, {
    ...callerFacts(caller),
    ...envelopeFacts(envelope),
    action,
    project_id: caller.session.project_id,
    operation: known.operation ?? null,
    land: known.land ?? null,
    pack_version: facts.pack?.manifest.version ?? null,
    arg_names: declaredNames(envelope, facts),
    decision,
    code,
    reason: reason ?? code,
    mode: known.mode ?? null,
    ran: false,
    ...more,
  });
}

/** Only names that the pack declares: an undeclared one is the caller's text, which may hold anything (SPEC U1). */
function declaredNames(envelope: ExecEnvelope, { pack }: LoadedFacts): string[] {
  const declared = pack?.surface.commands[envelope.verb_key]?.args?.properties ?? {};
  return Object.keys(envelope.args).filter((name) => Object.hasOwn(declared, name));
}

export const refusalOf = (decision: Decision): Denial => (decision.decision === 'allow' ? INTERNAL : decision.denial);
export const knownOf = (decision: Decision): KnownFacts => (decision.decision === 'allow' ? {} : decision.known);

export function previewAnswer(caller: Caller, decision: Decision, layers: AccessLayers): ExecPreview {
  const refused = decision.decision === 'allow' ? null : decision;
  const plan = decision.decision === 'deny' ? undefined : decision.plan;
  return {
    decision: decision.decision,
    code: refused?.denial.code ?? null,
    error: refused?.denial.error ?? null,
    hint: refused?.denial.hint ?? null,
    access: refused?.access ?? null,
    preview: plan ? renderPreview(plan.pack, plan.verb_key, plan.args) : null,
    card: plan ? cardOf(caller, plan, layers) : null,
  };
}

export function denialEnvelope(
  envelope: ExecEnvelope,
  { denial, access, preview, approval, run_id = null }: Omit<Refused, 'run_id'> & { run_id?: string | null },
  duration_ms: number,
): ResultEnvelope {
  return {
    ok: false,
    pack_id: envelope.pack_id,
    verb_key: envelope.verb_key,
    result: null,
    error: denial.error,
    code: denial.code,
    hint: hintAfterNo(
      approval && envelope.run_on_approve === true ? HINT_RUNS_ITSELF : denial.hint,
      approval?.rejected_at,
    ),
    ...(access && { access }),
    ...(preview && { preview }),
    ...(approval && { approval, approval_id: approval.approval_id }),
    run_id,
    duration_ms,
  };
}

const HINT_RUNS_ITSELF = 'A person has to say yes: show them the card. Their yes starts the run; do not send it again.';

const INTERNAL: Denial = {
  code: 'internal',
  error: 'the call could not be decided',
  hint: 'Nothing ran. Tell the operator.',
};

/** The database was lost at the very moment of the commit, and cannot be asked now. */
export const ACCEPTANCE_UNKNOWN: Denial = {
  code: 'outcome_unknown',
  error: 'it is not known whether the call was accepted',
  hint: 'ask GET /v1/runs/:id for run_id before you send the call again; 404 means that nothing was run',
};

export const AUDIT_UNAVAILABLE: Denial = {
  code: 'audit_unavailable',
  error: 'audit unavailable: nothing was run',
  hint: 'the audit log could not be written; try again, and tell an operator if it stays so',
};

/** The tenant's keys seal what a run takes and gives, so without them there is none (SPEC B3). */
export const KEYS_UNAVAILABLE: Denial = {
  code: 'mint_failed',
  error: 'the keys that this call needs cannot be opened now: nothing was run',
  hint: 'try again, and tell an operator if it stays so',
};

export const IDEMPOTENCY_CONFLICT: Denial = {
  code: 'idempotency_conflict',
  error: 'idempotency_key was used for another call',
  hint: 'use a new idempotency_key for a new call, or send the first call again unchanged',
};

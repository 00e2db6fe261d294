import type { AuditInput } from '@hcp/audit';
import type { Caller, ExecEnvelope, Plan } from '@hcp/core';
import type { Run } from '@hcp/database';

/** Who and where, for every event of a call (SPEC U1). */
export function callerFacts(
  caller: Caller,
): Pick<AuditInput, 'tenant_id' | 'principal_id' | 'principal_kind' | 'acts_for' | 'session_id'> {
  return {
    tenant_id: caller.tenant_id,
    principal_id: caller.principal.id,
    principal_kind: caller.is_agent ? 'agent' : caller.principal.kind,
    acts_for: caller.acts_for,
    session_id: caller.session.id,
  };
}

/** What was decided to run. */
export function planFacts(plan: Plan, args_digest: string, binding: string): Omit<AuditInput, 'tenant_id' | 'action'> {
  return {
    project_id: plan.project_id,
    binding,
    pack_id: plan.pack.manifest.pack_id,
    verb_key: plan.verb_key,
    operation: plan.operation,
    land: plan.land,
    pack_version: plan.pack.manifest.version,
    mode: plan.mode,
    approved_by: plan.approved_by,
    arg_names: [...plan.arg_names],
    args_digest,
  };
}

/** What was asked for and refused: names a caller chose are kept only where they can be a pack's and a command's. */
export function envelopeFacts(envelope: ExecEnvelope): Pick<AuditInput, 'pack_id' | 'verb_key'> {
  return { pack_id: envelope.pack_id.slice(0, 64), verb_key: envelope.verb_key.slice(0, 256) };
}

/** The run a later event belongs to. */
export function runFacts(run: Run): Omit<AuditInput, 'action'> {
  return {
    tenant_id: run.tenant_id,
    principal_id: run.principal_id,
    principal_kind: run.principal_kind,
    acts_for: run.acts_for,
    session_id: run.session_id,
    project_id: run.project_id,
    pack_id: run.pack_id,
    verb_key: run.verb_key,
    operation: run.operation,
    land: run.land,
    binding: run.binding ?? run.family,
    pack_version: run.pack_version,
    run_id: run.id,
    arg_names: run.arg_names,
    args_digest: run.args_digest,
  };
}

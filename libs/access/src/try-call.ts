import { appendAudit } from '@hcp/audit';
import type { AccessTest } from '@hcp/contracts';
import { decide, findPolicyRow, loadNested, type Caller, type Decision, type ExecEnvelope } from '@hcp/core';
import type { AccessDeps } from './ports.js';
import { plainRule } from './rule-records.js';

/**
 * What a call would get, and why: the pipeline itself, with nothing run and nothing stored but the audit event that
 * somebody asked. The call's values go no further than here.
 */
export async function tryCall(
  { db, facts, loader, check }: AccessDeps,
  caller: Caller,
  envelope: ExecEnvelope,
  now: Date,
): Promise<AccessTest> {
  const { project_id } = caller.session;
  return db.tenant(caller.tenant_id, async (tx) => {
    const loaded = await facts(tx, { pack_id: envelope.pack_id, project_id, caller });
    const access = await loader.load(tx, { caller, project_id });
    const nested = await loadNested(loaded.pack, envelope.verb_key, (pack_id) =>
      facts(tx, { pack_id, project_id, caller }),
    );
    const decision = decide({ envelope, caller, facts: loaded, project_id, check, access, nested, now });
    const answer = answerOf(decision);
    const row = loaded.pack && findPolicyRow(loaded.pack, envelope.verb_key);
    await appendAudit(tx, {
      tenant_id: caller.tenant_id,
      action: 'access.test',
      principal_id: caller.principal.id,
      principal_kind: caller.is_agent ? 'agent' : caller.principal.kind,
      acts_for: caller.acts_for,
      session_id: caller.session.id,
      project_id,
      pack_id: envelope.pack_id.slice(0, 64),
      verb_key: envelope.verb_key.slice(0, 256),
      operation: row?.operation ?? null,
      decision: answer.decision,
      code: answer.code,
      mode: answer.mode,
      ran: false,
    });
    return answer;
  });
}

function answerOf(decision: Decision): AccessTest {
  const allowed = decision.decision === 'allow' ? decision.plan : null;
  const refused = decision.decision === 'allow' ? null : decision;
  const judged = allowed?.judged ?? refused?.judged ?? null;
  const rule = judged?.ruling?.rule ?? null;
  return {
    decision: decision.decision,
    code: refused?.denial.code ?? null,
    error: refused?.denial.error ?? null,
    hint: refused?.denial.hint ?? null,
    mode: judged?.mode ?? null,
    layer: judged?.layer ?? null,
    reason: judged?.reason ?? null,
    rule: rule && { ...plainRule(rule), op: rule.op, id: rule.id ?? null },
    approved_by: allowed?.approved_by ?? null,
    access: refused?.access ?? null,
    preview: refused?.preview ? { ...refused.preview, args: { ...refused.preview.args } } : null,
    ignored: [...(judged?.ignored ?? [])],
  };
}

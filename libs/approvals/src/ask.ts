import {
  DEFAULT_PENDING_TTL_S,
  stepCommands,
  type ApprovalRequest,
  type Caller,
  type Card,
  type Demands,
  type Plan,
} from '@hcp/core';
import { sql, type Approval, type Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { auditApproval, who } from './audit.js';
import { expireWhere } from './expire.js';
import type { Sealer } from './ports.js';
import { cardDigest, openCall, sealCall } from './sealed.js';
import { tellApproval } from './tell.js';

export interface Ask {
  readonly caller: Caller;
  readonly plan: Plan;
  /** Of the call, with everything that it binds (SPEC V1). */
  readonly digest: string;
  readonly binding: string;
  readonly card: Card;
  /** As they came, control words included. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly demands: Required<Demands>;
  /** How long it waits for a person, in seconds. */
  readonly pending_ttl_s?: number | undefined;
  readonly run_on_approve: boolean;
  /** What it takes to build the requester anew, beside the session. */
  readonly authority: Readonly<Record<string, string | boolean | null>>;
}

/** Two asks at once, one of which is answered in between: at most so often is it looked at again. */
const TRIES = 5;

/** Makes a request for a person's yes, or finds the same one that waits already (SPEC V5). */
export async function askApproval(tx: Tx, sealer: Sealer, ask: Ask): Promise<ApprovalRequest> {
  const { tenant_id, principal } = ask.caller;
  const same = { tenant_id, principal_id: principal.id, digest: ask.digest };
  for (let tries = 0; tries < TRIES; tries += 1) {
    await expireWhere(tx, tenant_id, sql`principal_id = ${principal.id}::uuid and digest = ${ask.digest}`);
    const fresh = await insert(tx, sealer, ask);
    const found = await tx.approval.findFirst({ where: { ...same, state: 'pending' } });
    if (!found?.sealed) continue;
    if (!fresh) await tighten(tx, found, ask);
    if (fresh) {
      await auditApproval(tx, found, 'approval.request', { ...who(ask.caller), reason: found.reason_code });
      await tellApproval(tx, found, 'pending');
    }
    const { card } = openCall(sealer, found.id, found.sealed);
    const rejected_at = await lastNo(tx, ask);
    return {
      ...{ ...card, approval_id: found.id, expires_at: found.pending_expires_at.toISOString() },
      ...(rejected_at && { rejected_at: rejected_at.toISOString() }),
    };
  }
  throw new Error('a request for approval was answered again and again while it was asked for');
}

/** Who asks again may have its run started by the yes; what the tenant demands by now holds, where that is more. */
async function tighten(tx: Tx, { tenant_id, id }: Approval, { demands, run_on_approve }: Ask): Promise<void> {
  const { second_person, approvers, reason_required } = demands;
  await tx.$executeRaw`
    update approvals set run_on_approve = run_on_approve or ${run_on_approve}::boolean,
      second_person = second_person or ${second_person}::boolean, approvers = greatest(approvers, ${approvers}::int),
      reason_required = reason_required or ${reason_required}::boolean
    where tenant_id = ${tenant_id}::uuid and id = ${id}::uuid and state = 'pending'`;
}

/** @returns false where the same request waits already */
async function insert(tx: Tx, sealer: Sealer, ask: Ask): Promise<boolean> {
  const { caller, plan, card, demands } = ask;
  const { manifest, digest: pack_digest } = plan.pack;
  const id = uuidv7();
  const kind = caller.is_agent ? 'agent' : caller.principal.kind;
  const sealed = sealCall(sealer, id, { card, args: ask.args });
  const ttl_s = ask.pending_ttl_s ?? DEFAULT_PENDING_TTL_S;
  const made = await tx.$executeRaw`
    insert into approvals (tenant_id, id, state, digest, principal_id, principal_kind, acts_for, session_id, authority,
      project_id, pack_id, verb_key, operation, steps, pack_version, pack_digest, binding, reason_code, mode, arg_names,
      sealed, card_digest, complete, second_person, approvers, reason_required, run_on_approve, created_at,
      pending_expires_at)
    values (${caller.tenant_id}::uuid, ${id}::uuid, 'pending', ${ask.digest}, ${caller.principal.id}::uuid, ${kind},
      ${caller.acts_for}::uuid, ${caller.session.id}::uuid, ${JSON.stringify(ask.authority)}::jsonb,
      ${plan.project_id}::uuid, ${manifest.pack_id}, ${plan.verb_key}, ${plan.operation},
      ${JSON.stringify(stepCommands(plan.steps))}::jsonb, ${manifest.version},
      ${pack_digest}, ${ask.binding}, ${card.reason_code ?? 'confirm'}, ${plan.mode}, ${[...plan.arg_names]},
      ${sealed}, ${cardDigest(sealer, id, card)}, ${card.view.complete}, ${demands.second_person},
      ${demands.approvers}, ${demands.reason_required}, ${ask.run_on_approve}, clock_timestamp(),
      clock_timestamp() + ${ttl_s} * interval '1 second')
    on conflict (tenant_id, principal_id, digest) where state = 'pending' do nothing`;
  return made === 1;
}

/** When a person said no to exactly this call, where it is the last word on it and no older than a request gets. */
async function lastNo(tx: Tx, { caller, digest, pending_ttl_s = DEFAULT_PENDING_TTL_S }: Ask): Promise<Date | null> {
  const rows = await tx.$queryRaw<{ at: Date }[]>(sql`
    select ended_at as at from (
      select state, ended_at from approvals
      where tenant_id = ${caller.tenant_id}::uuid and principal_id = ${caller.principal.id}::uuid
        and digest = ${digest} and state in ('rejected', 'consumed')
      order by ended_at desc limit 1) as last
    where state = 'rejected' and ended_at > clock_timestamp() - ${pending_ttl_s} * interval '1 second'`);
  return rows[0]?.at ?? null;
}

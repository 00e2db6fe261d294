import { addSessionRule } from '@hcp/access';
import type { Approval as ApprovalAnswer, Approve, Reject } from '@hcp/contracts';
import { APPROVAL_USE_S, approveProblem, rejectProblem, type Caller, type DeciderRefusal } from '@hcp/core';
import { sql, type Approval, type Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { auditApproval, who, type ApprovalAction } from './audit.js';
import { expireWhere } from './expire.js';
import { answerOf, decisionsOf } from './look.js';
import type { ApprovalDeps, Sealer, Started } from './ports.js';
import { askedCall, seesApproval } from './records.js';
import { done, refuse, unknownThing, wrongField, type Answer, type ApprovalRefusal } from './refusal.js';
import { openCall, sealReason } from './sealed.js';
import { tellApproval } from './tell.js';

export interface Decided {
  readonly approval: ApprovalAnswer;
  /** Of a yes that starts its run: the run to put in line, or why there is none. */
  readonly started: Started | null;
}

/** Says yes to one exact call, for one run (SPEC V2, V4). Refused or not, it is in the log with who (SPEC V6). */
export async function approve(
  deps: ApprovalDeps,
  caller: Caller,
  id: string,
  body: Approve,
  now: Date,
): Promise<Answer<Decided>> {
  return deciding(deps, caller, id, 'approval.approve', now, async (tx, sealer, row) => {
    const problem = approveProblem(caller, await askedCall(tx, row), now);
    if (problem) return fromDecider(problem);
    if (row.state !== 'pending') return alreadyYes(tx, caller, row, sealer, now);
    const wrong = seenProblem(row, body) ?? bodyProblem(sealer, row, body);
    if (wrong) return wrong;
    const count = await sayYes(tx, caller, sealer, row, body);
    const complete = count >= row.approvers;
    if (complete && !(await settle(tx, row))) return TOO_LATE;
    await auditApproval(tx, row, 'approval.approve', {
      ...who(caller),
      decision: 'allow',
      details: { option: body.option ?? 'allow_once', said_yes: count, approvers: row.approvers },
    });
    if (!complete) return done({ approval: await answer(tx, sealer, row), started: null });
    await tellApproval(tx, row, 'approved');
    await forTheSession(tx, caller, sealer, row);
    const approved = await reload(tx, row);
    const started = row.run_on_approve ? await start(deps, tx, sealer, approved) : null;
    return done({ approval: await answer(tx, sealer, row), started });
  });
}

/** Says no; it beats a yes until that is consumed (SPEC V2). */
export async function reject(
  deps: ApprovalDeps,
  caller: Caller,
  id: string,
  body: Reject,
  now: Date,
): Promise<Answer<Decided>> {
  return deciding(deps, caller, id, 'approval.reject', now, async (tx, sealer, row) => {
    const problem = rejectProblem(caller, await askedCall(tx, row), now);
    if (problem) return fromDecider(problem);
    const { tenant_id } = row;
    const rejected = await tx.$executeRaw`
      update approvals set state = 'rejected', ended_at = clock_timestamp()
      where tenant_id = ${tenant_id}::uuid and id = ${id}::uuid and (
        (state = 'pending' and pending_expires_at > clock_timestamp())
        or (state = 'approved' and use_expires_at > clock_timestamp()))`;
    if (rejected !== 1) return ended(row);
    await insertDecision(tx, caller, sealer, row, { decision: 'reject', option: null, reason: body.reason });
    await auditApproval(tx, row, 'approval.reject', { ...who(caller), decision: 'deny' });
    await tellApproval(tx, row, 'rejected');
    return done({ approval: await answer(tx, sealer, row), started: null });
  });
}

/** The frame of both: the row is locked, its clock looked at, and a refusal written down. */
async function deciding(
  { db, keys }: ApprovalDeps,
  caller: Caller,
  id: string,
  action: ApprovalAction,
  now: Date,
  act: (tx: Tx, sealer: Sealer, row: Approval) => Promise<Answer<Decided>>,
): Promise<Answer<Decided>> {
  const { tenant_id } = caller;
  const sealer = await keys(tenant_id);
  return db.tenant(tenant_id, async (tx): Promise<Answer<Decided>> => {
    const where = { tenant_id_id: { tenant_id, id } };
    const seen = await tx.approval.findUnique({ where });
    if (!seen || !seesApproval(caller, seen, now)) return unknownThing();
    await tx.$queryRaw`select id from approvals where tenant_id = ${tenant_id}::uuid and id = ${id}::uuid for update`;
    await expireWhere(tx, tenant_id, sql`id = ${id}::uuid`);
    const row = await tx.approval.findUniqueOrThrow({ where });
    const result = await act(tx, sealer, row);
    if (!result.ok) {
      const reason = row.state === 'expired' ? 'expired' : result.code;
      await auditApproval(tx, row, action, { ...who(caller), decision: 'deny', code: result.code, reason });
    }
    return result;
  });
}

const fromDecider = ({ code, detail }: DeciderRefusal): ApprovalRefusal => refuse(code, detail);

const TOO_LATE = refuse('conflict', 'the request is expired: its time ran out while you answered');

/** What is over, and what there is to do then. */
const ENDED: Readonly<Record<string, string>> = {
  approved: 'others said yes before; it takes no more',
  consumed: 'its one run was started; who wants another sends the call again and asks anew',
  rejected: 'a person said no, which is final; another call asks anew',
  expired: 'its time ran out; who asked sends the call again and asks anew',
};

const ended = ({ state }: Approval): ApprovalRefusal =>
  refuse('conflict', `the request is ${state}: ${ENDED[state] ?? 'nothing can be said to it'}`);

/** A person who said yes already and says so again gets the same answer; anyone else comes too late. */
async function alreadyYes(tx: Tx, caller: Caller, row: Approval, sealer: Sealer, now: Date): Promise<Answer<Decided>> {
  const decisions = await decisionsOf(tx, [row]);
  const mine = decisions.some((each) => each.principal_id === caller.principal.id && each.decision === 'approve');
  if (row.state !== 'approved' || !mine) return ended(row);
  return done({ approval: await answerOf(tx, sealer, row, { now, full: false }), started: null });
}

/** The card that was seen must be this one, and opened in full where it cuts a value (SPEC V4, C3). */
function seenProblem(row: Approval, { card_digest }: Approve): ApprovalRefusal | null {
  if (card_digest !== undefined && card_digest !== row.card_digest) {
    return refuse('conflict', 'the card that was seen is another one: look at it again');
  }
  if (card_digest === undefined && !row.complete) {
    return refuse('conflict', 'the card does not show every value whole: open it in full and name its card_digest');
  }
  return null;
}

function bodyProblem(sealer: Sealer, row: Approval, { option, reason }: Approve): ApprovalRefusal | null {
  if (row.reason_required && (reason === undefined || reason === '')) {
    return wrongField('/reason', 'is required here');
  }
  if (option !== 'allow_session') return null;
  const card = row.sealed ? openCall(sealer, row.id, row.sealed).card : null;
  const offered = card?.options.some(({ kind }) => kind === 'allow_session') ?? false;
  return offered ? null : wrongField('/option', 'is not offered on this card');
}

/** @returns how many different people have said yes now; those who were disabled since do not count */
async function sayYes(tx: Tx, caller: Caller, sealer: Sealer, row: Approval, body: Approve): Promise<number> {
  const { option = 'allow_once', reason } = body;
  await insertDecision(tx, caller, sealer, row, { decision: 'approve', option, reason });
  const [counted] = await tx.$queryRaw<{ said_yes: number }[]>`
    select count(*)::int as said_yes from approval_decisions d
      join principals p on p.tenant_id = d.tenant_id and p.id = d.principal_id
      left join users u on u.id = p.user_id
    where d.tenant_id = ${row.tenant_id}::uuid and d.approval_id = ${row.id}::uuid and d.decision = 'approve'
      and p.disabled_at is null and u.disabled_at is null`;
  return counted?.said_yes ?? 0;
}

async function insertDecision(
  tx: Tx,
  caller: Caller,
  sealer: Sealer,
  row: Approval,
  said: { decision: 'approve' | 'reject'; option: string | null; reason: string | undefined },
): Promise<void> {
  const id = uuidv7();
  const reason_enc = said.reason ? sealReason(sealer, id, said.reason) : null;
  await tx.approvalDecision.createMany({
    data: [
      {
        tenant_id: row.tenant_id,
        id,
        approval_id: row.id,
        principal_id: caller.principal.id,
        decision: said.decision,
        option: said.option,
        reason_enc,
      },
    ],
    skipDuplicates: true,
  });
}

/** The last yes: one conditional UPDATE by the database's clock. */
async function settle(tx: Tx, { tenant_id, id }: Approval): Promise<boolean> {
  const approved = await tx.$executeRaw`
    update approvals set state = 'approved', approved_at = clock_timestamp(),
      use_expires_at = clock_timestamp() + ${APPROVAL_USE_S} * interval '1 second'
    where tenant_id = ${tenant_id}::uuid and id = ${id}::uuid and state = 'pending'
      and pending_expires_at > clock_timestamp()`;
  return approved === 1;
}

/** A rule for the session takes the whole quorum: everyone who said yes has chosen it (SPEC C4). */
async function forTheSession(tx: Tx, caller: Caller, sealer: Sealer, row: Approval): Promise<void> {
  const yes = (await decisionsOf(tx, [row])).filter(({ decision }) => decision === 'approve');
  if (!yes.every(({ option }) => option === 'allow_session') || !row.sealed) return;
  const chosen = openCall(sealer, row.id, row.sealed).card.options.find(({ kind }) => kind === 'allow_session');
  if (chosen?.kind !== 'allow_session') return;
  const { session_id, pack_digest } = row;
  await addSessionRule(tx, caller, { session_id, rule: chosen.rule, pack_digest });
}

async function start({ start }: ApprovalDeps, tx: Tx, sealer: Sealer, row: Approval): Promise<Started | null> {
  if (!row.sealed) return null;
  return start(tx, row, openCall(sealer, row.id, row.sealed).args);
}

const reload = (tx: Tx, { tenant_id, id }: Approval): Promise<Approval> =>
  tx.approval.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id, id } } });

async function answer(tx: Tx, sealer: Sealer, row: Approval): Promise<ApprovalAnswer> {
  const present = await reload(tx, row);
  // By the database's clock it was written a moment ago: no clock of ours may call it expired.
  return answerOf(tx, sealer, present, { now: new Date(0), full: false });
}

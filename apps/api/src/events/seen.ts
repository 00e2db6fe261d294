import { seenApprovals } from '@hcp/approvals';
import type { TenantEvent as TenantEventAnswer, TenantEventType } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { TenantEvent, Tx } from '@hcp/database';
import { seenRuns } from '@hcp/runs';
import { seenSense } from '@hcp/sense';
import { senseApprovals } from '../sense/seen-approvals.js';

/** Which of these things the caller may see now, by id, with what an event says of each beside its state. */
type See = (tx: Tx, caller: Caller, ids: readonly string[], now: Date) => Promise<ReadonlyMap<string, Thing>>;

type Thing = Readonly<Record<string, string | null>>;

interface Call {
  readonly id: string;
  readonly pack_id: string;
  readonly verb_key: string;
  readonly project_id: string | null;
  readonly principal_id: string;
  readonly acts_for: string | null;
}

const call = ({ pack_id, verb_key, project_id, principal_id, acts_for }: Call): Thing => ({
  ...{ pack_id, verb_key, project_id, principal_id, acts_for },
});

function byId<T extends { readonly id: string }>(things: readonly T[], say: (each: T) => Thing): Map<string, Thing> {
  return new Map(things.map((each) => [each.id, say(each)]));
}

const runs: See = async (tx, caller, ids, now) =>
  byId(await seenRuns(tx, caller, ids, now), (each) => ({ run_id: each.id, ...call(each) }));
const approvals: See = async (tx, caller, ids, now) =>
  byId(await seenApprovals(tx, caller, ids, now), (each) => ({
    approval_id: each.id,
    run_id: each.run_id,
    ...call(each),
  }));
const sense: See = async (tx, caller, ids, now) =>
  byId(await seenSense(tx, senseApprovals, caller, ids, now), (each) => {
    const { id: sense_id, kind, severity, pack_id, project_id, principal_id } = each;
    return { sense_id, kind, severity, pack_id, project_id, principal_id };
  });

/** The rule of each type is that of the route that answers the thing itself. */
const RULES: Readonly<Record<TenantEventType, See>> = {
  'run.updated': runs,
  'approval.requested': approvals,
  'approval.decided': approvals,
  'sense.changed': sense,
};

/** What the caller may hear of these events, by their rows. */
export async function seenEvents(
  tx: Tx,
  caller: Caller,
  rows: readonly TenantEvent[],
  now: Date,
): Promise<ReadonlyMap<TenantEvent, TenantEventAnswer>> {
  const found = new Map<TenantEvent, TenantEventAnswer>();
  for (const rule of new Set(Object.values(RULES))) {
    const mine = rows.filter(({ type }) => RULES[type as TenantEventType] === rule);
    if (mine.length === 0) continue;
    const seen = await rule(tx, caller, [...new Set(mine.map(({ subject_id }) => subject_id))], now);
    for (const row of mine) {
      const thing = seen.get(row.subject_id);
      if (thing) found.set(row, answer(row, thing));
    }
  }
  return found;
}

function answer({ type, state, at }: TenantEvent, thing: Thing): TenantEventAnswer {
  const became = type === 'run.updated' ? { status: state } : { state };
  return { type, ...became, ...thing, at: at.toISOString() } as TenantEventAnswer;
}

import { seenApprovals } from '@hcp/approvals';
import type { TenantEvent as TenantEventAnswer, TenantEventType } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { TenantEvent, Tx } from '@hcp/database';
import { seenRuns } from '@hcp/runs';

/** Which of these things the caller may see now, by id, with what an event says of each beside its state. */
type See = (tx: Tx, caller: Caller, ids: readonly string[], now: Date) => Promise<ReadonlyMap<string, Thing>>;

interface Thing {
  readonly id: string;
  readonly pack_id: string;
  readonly verb_key: string;
  readonly project_id: string | null;
  readonly principal_id: string;
  readonly acts_for: string | null;
  /** Of an approval: the run that it is kept for. */
  readonly run_id?: string | null;
}

const byId = (things: readonly Thing[]): ReadonlyMap<string, Thing> => new Map(things.map((each) => [each.id, each]));

const runs: See = async (tx, caller, ids, now) => byId(await seenRuns(tx, caller, ids, now));
const approvals: See = async (tx, caller, ids, now) => byId(await seenApprovals(tx, caller, ids, now));
const nothing: See = () => Promise.resolve(new Map());

/** The rule of each type is that of the route that answers the thing itself. */
const RULES: Readonly<Record<TenantEventType, See>> = {
  'run.updated': runs,
  'approval.requested': approvals,
  'approval.decided': approvals,
  // Nobody may ask for one yet, so nobody hears of one.
  'sense.changed': nothing,
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
  const { id, pack_id, verb_key, project_id, principal_id, acts_for, run_id = null } = thing;
  const call = { pack_id, verb_key, project_id, principal_id, acts_for, at: at.toISOString() };
  const said =
    type === 'run.updated'
      ? { type, run_id: id, status: state, ...call }
      : { type, approval_id: id, state, run_id, ...call };
  return said as TenantEventAnswer;
}

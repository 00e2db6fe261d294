import type { Agent, CreateAgent, ListAgentsQuery } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { Database, PrincipalRow, Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { done, refuse, unknownThing, type Outcome } from '../outcome.js';
import { badCursor, pageById, type PageResult } from '../page.js';
import { recordRightsChange } from '../rights/changes.js';
import { humanOnly, may, refuseUnless } from '../rights/rights.js';
import { nameWith } from './search.js';

const KINDS = ['agent', 'service'];

/** Creates an agent or a service, without any rights; `acts_for_me` links it to the calling human (SPEC T2). */
export async function createAgent(db: Database, caller: Caller, input: CreateAgent): Promise<Outcome<Agent>> {
  const refusal = refuseUnless(caller, 'access.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const acts_for = input.acts_for_me === true ? caller.principal.id : null;
  return db.tenant(tenant_id, async (tx) => {
    const row = await tx.principal.create({
      data: { tenant_id, id: uuidv7(), kind: input.kind, name: input.name, acts_for, created_by: caller.principal.id },
    });
    const subject = `principal:${row.id}`;
    const details = { kind: row.kind, name: row.name };
    await recordRightsChange(tx, caller, { action: 'agent.create', subject, details });
    if (acts_for !== null) {
      await recordRightsChange(tx, caller, { action: 'acts_for.create', subject, details: { human: acts_for } });
    }
    return done(agentAnswer({ ...row, keys: 0 }));
  });
}

/** All with `access.manage`; else a person who signed in gets those that act for them, and alone can end that. */
export async function listAgents(
  db: Database,
  caller: Caller,
  query: ListAgentsQuery,
): Promise<Outcome<PageResult<Agent>>> {
  const manages = may(caller, 'access.manage');
  const refusal =
    humanOnly(caller) ?? (manages || caller.session.interactive ? null : refuseUnless(caller, 'access.manage'));
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const { acts_for, search } = query;
  const reach = manages ? {} : { acts_for: caller.principal.id };
  const name = search === undefined ? undefined : nameWith(search);
  const page = await db.tenant(tenant_id, (tx) =>
    pageById(
      query,
      async ({ after, take }) =>
        withKeys(
          tx,
          tenant_id,
          await tx.principal.findMany({
            where: { AND: [reach, { tenant_id, acts_for, name, kind: { in: KINDS }, id: { gt: after } }] },
            orderBy: { id: 'asc' },
            take,
          }),
        ),
      agentAnswer,
    ),
  );
  return page ? done(page) : badCursor();
}

export async function getAgent(db: Database, caller: Caller, id: string): Promise<Outcome<Agent>> {
  const refusal = refuseUnless(caller, 'access.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const [row] = await db.tenant(tenant_id, async (tx) =>
    withKeys(tx, tenant_id, await tx.principal.findMany({ where: { tenant_id, id, kind: { in: KINDS } } })),
  );
  return row ? done(agentAnswer(row)) : unknownThing();
}

/** Disables an agent or a service: its keys and sessions fail on the next call, its queued runs too. */
export async function disableAgent(db: Database, caller: Caller, id: string): Promise<Outcome<null>> {
  const refusal = refuseUnless(caller, 'access.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<null>> => {
    const { count } = await tx.principal.updateMany({
      where: { tenant_id, id, kind: { in: KINDS }, disabled_at: null },
      data: { disabled_at: new Date() },
    });
    if (count === 0) return unknownThing();
    await recordRightsChange(tx, caller, { action: 'agent.disable', subject: `principal:${id}` });
    return done(null);
  });
}

/** Links it to the calling human and to nobody else (SPEC T2); from then on it may do only what both may. */
export async function actForCaller(db: Database, caller: Caller, id: string): Promise<Outcome<null>> {
  const refusal = refuseUnless(caller, 'access.manage');
  if (refusal) return refusal;
  const { tenant_id, principal } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<null>> => {
    const row = await tx.principal.findFirst({ where: { tenant_id, id, kind: { in: KINDS } } });
    if (!row) return unknownThing();
    if (row.acts_for === principal.id) return done(null);
    const { count } = await tx.principal.updateMany({
      where: { tenant_id, id, acts_for: null },
      data: { acts_for: principal.id },
    });
    if (count === 0) return refuse('conflict', 'the agent acts for another person, who alone can end that');
    const details = { human: principal.id };
    await recordRightsChange(tx, caller, { action: 'acts_for.create', subject: `principal:${id}`, details });
    return done(null);
  });
}

/** Ends that it acts for the caller; nobody else can, whatever they were granted (SPEC T2). */
export async function endActsFor(db: Database, caller: Caller, id: string): Promise<Outcome<null>> {
  const refusal = humanOnly(caller);
  if (refusal) return refusal;
  const { tenant_id, principal } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<null>> => {
    const { count } = await tx.principal.updateMany({
      where: { tenant_id, id, kind: { in: KINDS }, acts_for: principal.id },
      data: { acts_for: null },
    });
    if (count === 0) return unknownThing();
    const details = { human: principal.id };
    await recordRightsChange(tx, caller, { action: 'acts_for.revoke', subject: `principal:${id}`, details });
    return done(null);
  });
}

type CountedAgent = PrincipalRow & { readonly keys: number };

async function withKeys(tx: Tx, tenant_id: string, rows: readonly PrincipalRow[]): Promise<CountedAgent[]> {
  const counts = await tx.apiKey.groupBy({
    by: ['principal_id'],
    where: {
      tenant_id,
      principal_id: { in: rows.map(({ id }) => id) },
      revoked_at: null,
      OR: [{ expires_at: null }, { expires_at: { gt: new Date() } }],
    },
    _count: true,
  });
  const of = new Map(counts.map(({ principal_id, _count }) => [principal_id, _count]));
  return rows.map((row) => ({ ...row, keys: of.get(row.id) ?? 0 }));
}

function agentAnswer(row: CountedAgent): Agent {
  return {
    id: row.id,
    kind: row.kind === 'service' ? 'service' : 'agent',
    name: row.name,
    acts_for: row.acts_for,
    disabled: row.disabled_at !== null,
    keys: row.keys,
    created_at: row.created_at.toISOString(),
  };
}

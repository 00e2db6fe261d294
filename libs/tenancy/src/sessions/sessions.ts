import type { CreateSession, PageQuery, Session as SessionAnswer } from '@hcp/contracts';
import { HCP_CLI_PACK_ID, type Caller } from '@hcp/core';
import type { Database, Prisma, Session, Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { MAX_SESSION_DEPTH, readCallerFacts } from '../caller/facts.js';
import { done, refuse, unknownThing, type Outcome, type Refusal } from '../outcome.js';
import { badCursor, pageById, type PageResult } from '../page.js';
import { auditChange, recordRightsChange } from '../rights/changes.js';
import { may } from '../rights/rights.js';
import { projectExists } from '../rights/stored-grant.js';
import { SESSION_MS } from './session-life.js';

/**
 * Opens a session narrower than the call's own (SPEC T4). It is good only with the credential it was opened with and dies
 * with it, and with the session it was opened from.
 */
export async function openSession(db: Database, caller: Caller, input: CreateSession): Promise<Outcome<SessionAnswer>> {
  const { tenant_id, session } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<SessionAnswer>> => {
    const project = await narrowProject(tx, caller, input.project_id);
    if (!project.ok) return project;
    const packs = await narrowPacks(tx, caller, project.value, input.packs);
    if (!packs.ok) return packs;
    const ends = await parentEnds(tx, caller);
    if (ends === 'too_deep') return refuse('conflict', 'sessions are opened from each other too many times');
    const wished = new Date(Date.now() + (input.expires_in_s === undefined ? SESSION_MS : input.expires_in_s * 1000));
    const row = await tx.session.create({
      data: {
        tenant_id,
        id: uuidv7(),
        principal_id: caller.principal.id,
        kind: 'explicit',
        // What an agent's hand opens is never a place where a person says yes.
        interactive: session.interactive && !caller.is_agent,
        api_key_id: session.api_key_id,
        parent_id: session.id === session.api_key_id ? null : session.id,
        project_id: project.value,
        packs: packs.value ?? [],
        narrows_packs: packs.value !== null,
        expires_at: ends !== null && ends < wished ? ends : wished,
      },
    });
    await auditChange(tx, caller, {
      action: 'session.open',
      subject: `session:${row.id}`,
      project_id: row.project_id,
      details: { packs: packs.value },
    });
    return done(sessionAnswer(row, caller));
  });
}

/** The caller's open sessions, as far as the call reaches (see `reach`). */
export async function listSessions(
  db: Database,
  caller: Caller,
  query: PageQuery,
): Promise<Outcome<PageResult<SessionAnswer>>> {
  const page = await db.tenant(caller.tenant_id, (tx) =>
    pageById(
      query,
      ({ after, take }) =>
        tx.session.findMany({
          where: { AND: [reach(caller), { revoked_at: null, expires_at: { gt: new Date() }, id: { gt: after } }] },
          orderBy: { id: 'asc' },
          take,
        }),
      (row) => sessionAnswer(row, caller),
    ),
  );
  return page ? done(page) : badCursor();
}

/**
 * Ends a session of the caller's own; those opened from it end with it, on the next call everywhere. An agent's hand does
 * not reach what a person signed in to.
 */
export async function revokeSession(db: Database, caller: Caller, id: string): Promise<Outcome<null>> {
  const explicit_only = caller.is_agent && caller.principal.kind === 'human' ? [{ kind: 'explicit' }] : [];
  return db.tenant(caller.tenant_id, async (tx): Promise<Outcome<null>> => {
    const { count } = await tx.session.updateMany({
      where: { AND: [reach(caller), { id, revoked_at: null }, ...explicit_only] },
      data: { revoked_at: new Date() },
    });
    if (count === 0) return unknownThing();
    await recordRightsChange(tx, caller, { action: 'session.revoke', subject: `session:${id}` });
    return done(null);
  });
}

/**
 * Which sessions a call may see and end: a person's sign-in all of theirs, a key only those opened with it, a narrower
 * session only itself and those opened from it. A narrow token stays narrow here too (SPEC G5).
 */
function reach(caller: Caller): Prisma.SessionWhereInput {
  const { tenant_id, principal, session } = caller;
  const own = { tenant_id, principal_id: principal.id };
  if (session.id === session.api_key_id) return { ...own, api_key_id: session.api_key_id };
  const wide = session.api_key_id === null && session.project_id === null && session.packs === null;
  return wide ? own : { ...own, OR: [{ id: session.id }, { parent_id: session.id }] };
}

/** The project of the new session: the caller's own bound, or one the caller may be in. */
async function narrowProject(tx: Tx, caller: Caller, wanted: string | undefined): Promise<Outcome<string | null>> {
  const bound = caller.session.project_id;
  if (wanted === undefined) return done(bound);
  const reachable = caller.authority.member_of.includes(wanted) || may(caller, 'tenant.manage', { project_id: wanted });
  if ((bound !== null && bound !== wanted) || !reachable) return unknownThing();
  return (await projectExists(tx, caller.tenant_id, wanted)) ? done(wanted) : unknownThing();
}

/** The packs of the new session: active there, and none that the caller's own session does not reach. */
async function narrowPacks(
  tx: Tx,
  caller: Caller,
  project_id: string | null,
  wanted: readonly string[] | undefined,
): Promise<Outcome<string[] | null>> {
  const bound = caller.session.packs;
  if (wanted === undefined) return done(bound === null ? null : [...bound]);
  const { tenant_id } = caller;
  const active = await tx.packActivation.findMany({
    where: { tenant_id, OR: [{ project_id: null }, ...(project_id === null ? [] : [{ project_id }])] },
    select: { pack_id: true },
  });
  const reachable = new Set([HCP_CLI_PACK_ID, ...active.map(({ pack_id }) => pack_id).filter(touched(caller))]);
  const index = wanted.findIndex((pack_id) => !reachable.has(pack_id) || (bound !== null && !bound.includes(pack_id)));
  if (index >= 0) return notReachable(index);
  return done([...new Set(wanted)]);
}

/** A pack that no right of the call touches looks like one that is not there. */
const touched =
  ({ authority }: Caller) =>
  (pack_id: string): boolean =>
    authority.layers.every((layer) => layer.some((grant) => grant.pack_id === undefined || grant.pack_id === pack_id));

const notReachable = (index: number): Refusal =>
  refuse('invalid_request', 'is no active pack that this session reaches', { path: `/packs/${index}` });

/** When the session or key that this one hangs on ends; null: never. */
async function parentEnds(tx: Tx, caller: Caller): Promise<Date | null | 'too_deep'> {
  const { tenant_id, session } = caller;
  const where = { tenant_id_id: { tenant_id, id: session.id } };
  const select = { expires_at: true } as const;
  if (session.id === session.api_key_id) return (await tx.apiKey.findUnique({ where, select }))?.expires_at ?? null;
  const { sessions } = await readCallerFacts(tx, tenant_id, session.id);
  if (sessions.length >= MAX_SESSION_DEPTH) return 'too_deep';
  return (await tx.session.findUnique({ where, select }))?.expires_at ?? null;
}

function sessionAnswer(row: Session, caller: Caller): SessionAnswer {
  return {
    id: row.id,
    kind: row.kind === 'default' ? 'default' : 'explicit',
    interactive: row.interactive,
    client: row.client_id === null ? null : { id: row.client_id, name: row.client_name ?? '' },
    project_id: row.project_id,
    packs: row.narrows_packs ? row.packs : null,
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
    current: row.id === caller.session.id,
  };
}

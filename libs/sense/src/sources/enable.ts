import { SENSE_EVERY_S, type SenseSource as SourceAnswer, type SetSenseSource } from '@hcp/contracts';
import type { Caller, Denial, ExecEnvelope, Pack } from '@hcp/core';
import { sql, type Database, type SenseSource, type Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { clear } from '../raise.js';
import { done, refuse, unknownThing, type Answer, type SenseRefusal } from '../refusal.js';
import { clearSource, pausedKey } from './publish.js';
import { recordSourceAct, sourceAnswer } from './records.js';
import { enableProblem } from './rights.js';

/**
 * Opens a session of the caller's own that stands by itself, narrowed to one pack and project, and answers who comes with
 * it; null where the caller's key or project is not good for it.
 */
export type StandingSession = (
  tx: Tx,
  caller: Caller,
  narrow: { readonly pack_id: string; readonly project_id: string | null },
) => Promise<Caller | null>;

/** Why a call would not run at once, now; null where it would. */
export type WouldRefuse = (tx: Tx, caller: Caller, envelope: ExecEnvelope) => Promise<Denial | null>;

export interface SourceDeps {
  readonly db: Database;
  /** The pack as it is active for the caller there; `known` where there is such a pack at all. */
  readonly pack: (
    tx: Tx,
    caller: Caller,
    pack_id: string,
    project_id: string | null,
  ) => Promise<{ readonly known: boolean; readonly pack: Pack | null }>;
  readonly standing: StandingSession;
  readonly endSession: (tx: Tx, caller: Caller, session_id: string) => Promise<void>;
  readonly refuses: WouldRefuse;
}

/** Turns a source on, on the rights of whoever does it, or off (SPEC N1, W8). What would ask or be denied is not turned on. */
export async function setSource(
  deps: SourceDeps,
  caller: Caller,
  pack_id: string,
  input: SetSenseSource,
  now: Date,
): Promise<Answer<SourceAnswer>> {
  const { tenant_id } = caller;
  const project_id = input.project_id ?? caller.session.project_id;
  const scope = { pack_id, project_id };
  try {
    return await deps.db.tenant(tenant_id, async (tx): Promise<Answer<SourceAnswer>> => {
      const problem = enableProblem(caller, scope, now);
      if (problem) return problem;
      if (project_id !== null) {
        const where = { tenant_id_id: { tenant_id, id: project_id } };
        if (!(await tx.project.findUnique({ where, select: { id: true } }))) return unknownThing();
      }
      const before = await tx.senseSource.findFirst({ where: { tenant_id, ...scope } });
      return input.enabled ? enable(tx, deps, caller, scope, input, before) : disable(tx, deps, caller, before);
    });
  } catch (error) {
    // What was written on the way to the refusal goes back with it.
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}

class Refused extends Error {
  constructor(readonly refusal: SenseRefusal) {
    super(refusal.detail);
  }
}

async function enable(
  tx: Tx,
  deps: SourceDeps,
  caller: Caller,
  scope: Pick<SenseSource, 'pack_id' | 'project_id'>,
  { every_s }: SetSenseSource,
  before: SenseSource | null,
): Promise<Answer<SourceAnswer>> {
  const { tenant_id } = caller;
  const { pack_id, project_id } = scope;
  const { known, pack } = await deps.pack(tx, caller, pack_id, project_id);
  if (!known) return unknownThing();
  if (!pack) return refuse('conflict', 'no version of the pack is active there');
  if (pack.manifest.kind !== 'sense_only')
    return refuse('conflict', 'the pack is no source: its kind is not sense_only');
  const looker = await deps.standing(tx, caller, scope);
  if (!looker) throw new Refused(refuse('conflict', 'the project or the key of this call is not good for it'));
  for (const verb_key of Object.keys(pack.surface.commands)) {
    const denial = await deps.refuses(tx, looker, { pack_id, verb_key, args: {} });
    if (denial) throw new Refused(refuse('conflict', `${pack_id}.${verb_key} would not run: ${denial.code}`));
  }
  if (before) await endOld(tx, deps, caller, before);
  const interval = every_s ?? before?.every_s ?? SENSE_EVERY_S.fallback;
  const [row] = await tx.$queryRaw<{ id: string }[]>(sql`
    insert into sense_sources as s (tenant_id, id, pack_id, project_id, every_s, enabled, principal_id, session_id,
      next_at, enabled_at)
    values (${tenant_id}::uuid, ${uuidv7()}::uuid, ${pack_id}, ${project_id}::uuid, ${interval}, true,
      ${caller.principal.id}::uuid, ${looker.session.id}::uuid, clock_timestamp(), clock_timestamp())
    on conflict (tenant_id, pack_id, project_id) do update
      set every_s = excluded.every_s, enabled = true, principal_id = excluded.principal_id,
        session_id = excluded.session_id, next_at = excluded.next_at, enabled_at = excluded.enabled_at,
        paused_at = null, paused_reason = null
    returning s.id::text`);
  const id = row?.id ?? '';
  const source = await tx.senseSource.findUniqueOrThrow({ where: { tenant_id_id: { tenant_id, id } } });
  await clear(tx, { tenant_id, dedupe_key: pausedKey(source) });
  await recordSourceAct(tx, caller, 'sense.enable', source);
  return done(sourceAnswer(source));
}

async function disable(
  tx: Tx,
  deps: SourceDeps,
  caller: Caller,
  before: SenseSource | null,
): Promise<Answer<SourceAnswer>> {
  if (!before) return unknownThing();
  const { tenant_id, id } = before;
  const where = { tenant_id_id: { tenant_id, id } };
  const data = { enabled: false, paused_at: null, paused_reason: null };
  const source = await tx.senseSource.update({ where, data });
  await clearSource(tx, source);
  await endOld(tx, deps, caller, before);
  if (before.enabled) await recordSourceAct(tx, caller, 'sense.disable', source);
  return done(sourceAnswer(source));
}

const endOld = (tx: Tx, deps: SourceDeps, caller: Caller, before: SenseSource): Promise<void> =>
  deps.endSession(tx, caller, before.session_id);

import { allows, HCP_CLI_PACK_ID, requiredCapability, type Caller, type Operation } from '@hcp/core';
import { principalNames, type Database, type Run, type Tx } from '@hcp/database';
import { envelopeWith, isTerminal } from './envelope.js';
import type { TenantKeys } from './ports.js';
import { openOutcome } from './sealing.js';

export interface RunFilter {
  readonly status?: string;
  readonly pack_id?: string;
  readonly verb_key?: string;
  readonly principal_id?: string;
  readonly project_id?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** A run as a caller may see it; `result` and streams only where `whole`. */
export interface RunView {
  readonly run: Run;
  /** False: metadata only (SPEC G1, G4). */
  readonly whole: boolean;
}

/** The same with what people call those whose it is; null of one that is gone. */
export interface NamedRunView extends RunView {
  readonly principal_name: string | null;
  readonly acts_for_name: string | null;
}

/** Own runs, and those of agents that act for the caller; all others need `run.read` (SPEC G1). */
export function isOwn(caller: Caller, run: Pick<Run, 'principal_id' | 'acts_for'>): boolean {
  return run.principal_id === caller.principal.id || run.acts_for === caller.principal.id;
}

/** What of a run decides who may see it. */
export type RunFacts = Pick<
  Run,
  'principal_id' | 'acts_for' | 'pack_id' | 'verb_key' | 'operation' | 'project_id' | 'land'
>;

/** A key or session that could not make this call does not get its outcome either (SPEC G5). */
function reaches(caller: Caller, run: RunFacts, now: Date): boolean {
  const { pack_id, verb_key, project_id } = run;
  const { packs } = caller.session;
  if (packs !== null && !packs.includes(pack_id) && pack_id !== HCP_CLI_PACK_ID) return false;
  const capability = requiredCapability(run.operation as Operation);
  return allows(caller.authority, { capability, pack_id, verb_key, project_id }, now);
}

function maySeeOthers(caller: Caller, run: Pick<Run, 'pack_id' | 'project_id'>, now: Date): boolean {
  const { pack_id, project_id } = run;
  return allows(caller.authority, { capability: 'run.read', pack_id, project_id }, now);
}

/** The result of a `personal` command is for its principal and the human it acts for alone (SPEC G4). */
export function sees(caller: Caller, run: RunFacts, now: Date): { readonly whole: boolean } | null {
  if (caller.session.project_id !== null && run.project_id !== caller.session.project_id) return null;
  if (isOwn(caller, run) && reaches(caller, run, now)) return { whole: true };
  if (!maySeeOthers(caller, run, now)) return null;
  return { whole: run.land !== 'personal' };
}

export function view(caller: Caller, run: Run, now: Date): RunView | null {
  const seen = sees(caller, run, now);
  return seen && { run, ...seen };
}

/** Whether a list goes through everybody's runs, and not the caller's own alone. */
export const seesEveryone = (caller: Caller, now: Date): boolean =>
  allows(caller.authority, { capability: 'run.read', project_id: caller.session.project_id }, now);

/** @returns null for an unknown run, another tenant's, and one the caller may not see, alike */
export const getRun = (db: Database, caller: Caller, run_id: string): Promise<RunView | null> =>
  db.tenant(caller.tenant_id, (tx) => findRun(tx, caller, run_id));

/** As `getRun`, with names. */
export const getNamedRun = (db: Database, caller: Caller, run_id: string): Promise<NamedRunView | null> =>
  db.tenant(caller.tenant_id, async (tx) => {
    const found = await findRun(tx, caller, run_id);
    const [named = null] = found ? await withNames(tx, caller.tenant_id, [found]) : [];
    return named;
  });

async function findRun(tx: Tx, caller: Caller, id: string): Promise<RunView | null> {
  const { tenant_id } = caller;
  const run = await tx.run.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
  return run && view(caller, run, new Date());
}

async function withNames(tx: Tx, tenant_id: string, views: readonly RunView[]): Promise<NamedRunView[]> {
  const ids = views.flatMap(({ run }) => [run.principal_id, run.acts_for]);
  const nameOf = await principalNames(tx, tenant_id, ids);
  return views.map((each) => ({
    ...each,
    principal_name: nameOf(each.run.principal_id),
    acts_for_name: nameOf(each.run.acts_for),
  }));
}

/** Those of these runs that the caller may see, without what they hold: the rule is that of `getRun`. */
export async function seenRuns(tx: Tx, caller: Caller, ids: readonly string[], now: Date): Promise<Run[]> {
  const runs = (await tx.run.findMany({
    where: { tenant_id: caller.tenant_id, id: { in: [...ids] } },
    omit: { args_enc: true, outcome_enc: true },
  })) as Run[];
  return runs.filter((run) => view(caller, run, now) !== null);
}

/** Newest first. The cursor is the id of the last run shown: ids grow with time. */
export async function listRuns(
  db: Database,
  caller: Caller,
  filter: RunFilter,
): Promise<{ items: NamedRunView[]; next_cursor: string | null }> {
  const now = new Date();
  const { limit } = filter;
  return db.tenant(caller.tenant_id, async (tx) => {
    const rows = await page(tx, caller, now, filter);
    const seen = rows.slice(0, limit).flatMap((run) => view(caller, run, now) ?? []);
    const last = rows[limit - 1];
    const next_cursor = rows.length > limit && last ? last.id : null;
    return { items: await withNames(tx, caller.tenant_id, seen), next_cursor };
  });
}

function page(tx: Tx, caller: Caller, now: Date, filter: RunFilter): Promise<Run[]> {
  const { status, pack_id, verb_key, principal_id, project_id, limit, cursor } = filter;
  const me = caller.principal.id;
  const everyone = seesEveryone(caller, now);
  return tx.run.findMany({
    where: {
      tenant_id: caller.tenant_id,
      ...(status !== undefined && { status }),
      ...(pack_id !== undefined && { pack_id }),
      ...(verb_key !== undefined && { verb_key }),
      ...(principal_id !== undefined && { principal_id }),
      ...(cursor !== undefined && { id: { lt: cursor } }),
      AND: [
        project_id === undefined ? {} : { project_id },
        caller.session.project_id === null ? {} : { project_id: caller.session.project_id },
        everyone ? {} : { OR: [{ principal_id: me }, { acts_for: me }] },
      ],
    },
    omit: { args_enc: true, outcome_enc: true },
    orderBy: { id: 'desc' },
    take: limit + 1,
  }) as Promise<Run[]>;
}

/** What the command said and which hosts it asked for, for those who may see it. */
export async function outcomeOf(keys: TenantKeys, { run, whole }: RunView) {
  if (!whole || !isTerminal(run.status) || !run.outcome_enc) return null;
  const sealer = await keys(run.tenant_id);
  const outcome = openOutcome(sealer, run.id, run.outcome_enc);
  return { ...envelopeWith(run, outcome), egress: outcome.egress };
}

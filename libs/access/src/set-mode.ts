import type { Access, SetMode } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { auditAccess, bumpEpoch } from './changes.js';
import { describeIn } from './describe.js';
import { ownProblem, projectExists } from './own.js';
import type { AccessDeps } from './ports.js';
import { done, unknownThing, wrongField, type AccessRefusal, type Answer } from './refusal.js';
import { manageProblem, personOnly } from './rights.js';
import { changeSettings, type SettingsScope } from './scope.js';

/**
 * Sets a mode for the tenant, a pack, a project or oneself, or how far HCP-Mode may loosen with a key or in a session
 * (SPEC A1).
 */
export async function setMode(deps: AccessDeps, caller: Caller, input: SetMode, now: Date): Promise<Answer<Access>> {
  const { tenant_id } = caller;
  const { mode, pack_id, project_id = null, own } = input;
  const early = combinationProblem(input);
  if (early) return early;
  const place = placeOf(caller, input);
  // How far keys and sessions may go reaches every project.
  const reach = { project_id, pack_id: pack_id ?? null };
  const refusal = own ? personOnly(caller) : manageProblem(caller, reach, now);
  if (refusal) return refusal;
  return deps.db.tenant(tenant_id, async (tx): Promise<Answer<Access>> => {
    const missing = (await placeProblem(tx, tenant_id, place)) ?? (own ? await ownProblem(tx, tenant_id) : null);
    if (missing) return missing;
    await bumpEpoch(tx, tenant_id);
    const bounds = place.scope === 'session' || place.scope === 'api_key';
    await changeSettings(tx, caller, place, (present) => {
      const value = mode ?? undefined;
      if (bounds) return { ...present, max_mode: value };
      if (pack_id === undefined) return { ...present, mode: value };
      const { [pack_id]: _before, ...packs } = (present['packs'] ?? {}) as Record<string, unknown>;
      return { ...present, packs: value === undefined ? packs : { ...packs, [pack_id]: { mode: value } } };
    });
    const what = place.project_id ?? place.principal_id ?? place.session_id ?? place.api_key_id ?? tenant_id;
    await auditAccess(tx, caller, {
      action: bounds ? 'access.set_max_mode' : 'access.set_mode',
      subject: `${place.scope}:${what}`,
      project_id,
      pack_id: pack_id ?? null,
      details: { mode },
    });
    return done(await describeIn(deps, tx, caller, project_id ?? caller.session.project_id));
  });
}

function combinationProblem({ pack_id, project_id, own, api_key_id, session_id }: SetMode): AccessRefusal | null {
  const not_with = 'does not go together with what else is given';
  if (api_key_id !== undefined && (own || session_id !== undefined)) return wrongField('/api_key_id', not_with);
  if (session_id !== undefined && own) return wrongField('/session_id', not_with);
  const whole = own === true || api_key_id !== undefined || session_id !== undefined;
  if (whole && project_id !== undefined) return wrongField('/project_id', not_with);
  if (whole && pack_id !== undefined) return wrongField('/pack_id', not_with);
  return null;
}

function placeOf(caller: Caller, { project_id, own, api_key_id, session_id }: SetMode): SettingsScope {
  if (own) return { scope: 'member', principal_id: caller.principal.id };
  if (api_key_id !== undefined) return { scope: 'api_key', api_key_id };
  if (session_id !== undefined) return { scope: 'session', session_id };
  return project_id === undefined ? { scope: 'tenant' } : { scope: 'project', project_id };
}

async function placeProblem(tx: Tx, tenant_id: string, place: SettingsScope): Promise<AccessRefusal | null> {
  const { project_id, api_key_id, session_id } = place;
  if (project_id !== undefined) return (await projectExists(tx, tenant_id, project_id)) ? null : unknownThing();
  const key = (id: string) => ({ where: { tenant_id_id: { tenant_id, id } }, select: { id: true } });
  if (api_key_id !== undefined) return (await tx.apiKey.findUnique(key(api_key_id))) ? null : unknownThing();
  if (session_id !== undefined) return (await tx.session.findUnique(key(session_id))) ? null : unknownThing();
  return null;
}

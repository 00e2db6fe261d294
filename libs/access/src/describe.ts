import type { Access, AccessQuery } from '@hcp/contracts';
import {
  baseMode,
  DEFAULT_APPROVALS,
  DEFAULT_PENDING_TTL_S,
  effectiveApprovals,
  looserThan,
  modeFor,
  type AccessLayers,
  type Caller,
  type Layer,
  type Mode,
  type SetRule,
} from '@hcp/core';
import type { Tx } from '@hcp/database';
import { ignoredOf } from './ignored.js';
import { layersOf, type Loaded, type ScopeEntry } from './loader.js';
import { projectExists } from './own.js';
import type { AccessDeps } from './ports.js';
import { done, unknownThing, type Answer } from './refusal.js';
import { reachesMatch } from './rights.js';
import { plainRule, Suspensions } from './rule-records.js';
import { seesProject } from './rules.js';

/** What is in force for the caller, where each setting comes from, and what was set and does not count (SPEC A6). */
export async function describeAccess(
  deps: AccessDeps,
  caller: Caller,
  query: AccessQuery,
  now: Date,
): Promise<Answer<Access>> {
  const project_id = query.project_id ?? caller.session.project_id;
  if (project_id !== null && !seesProject(caller, project_id, now)) return unknownThing();
  return deps.db.tenant(caller.tenant_id, async (tx): Promise<Answer<Access>> => {
    if (project_id !== null && !(await projectExists(tx, caller.tenant_id, project_id))) return unknownThing();
    return done(await describeIn(deps, tx, caller, project_id));
  });
}

/** As of this transaction, the caller's own changes in it included. */
export async function describeIn(
  { loader, pack }: AccessDeps,
  tx: Tx,
  caller: Caller,
  project_id: string | null,
): Promise<Access> {
  const loaded = await loader.uncached().loadAll(tx, { caller, project_id });
  const layers = layersOf(loaded, caller);
  const suspensions = new Suspensions(tx, caller, pack);
  const shown = await shownLayers(loaded, caller, project_id, suspensions);
  return { effective: effectiveOf(loaded, layers), layers: shown, ignored: ignoredOf(loaded, layers, shown) };
}

type From<T> = { value: T; layer: Layer | 'default' };

function effectiveOf({ tenant, platform, project }: Loaded, layers: AccessLayers): Access['effective'] {
  const { second_person, approvers, reason_required, pending_ttl_s, member_access } = tenant.settings;
  const of = <T>(value: T | undefined, fallback: T): From<T> =>
    value === undefined ? { value: fallback, layer: 'default' } : { value, layer: 'tenant' };
  const mode = modeIn(layers, null);
  const ids = [tenant, platform, project].flatMap((entry) => Object.keys(entry?.layer.pack_modes ?? {}));
  const packs = [...new Set(ids)]
    .sort()
    .map((pack_id) => [pack_id, { mode: modeIn(layers, pack_id) }] as const)
    .filter(([, each]) => each.mode.value !== mode.value);
  return {
    mode,
    packs: Object.fromEntries(packs),
    max_mode: { value: layers.max_mode, layer: layers.max_mode === null ? 'default' : 'session' },
    approvals: approvalsIn(layers),
    second_person: of(second_person, false),
    approvers: of(approvers, 1),
    reason_required: of(reason_required, false),
    pending_ttl_s: of(pending_ttl_s, DEFAULT_PENDING_TTL_S),
    member_access: of(member_access, false),
  };
}

/** The strictest of base, platform and project. */
function modeIn(layers: AccessLayers, pack_id: string | null): From<Mode> {
  const { mode: value, layer } = baseMode(layers, pack_id);
  let strictest: From<Mode> = { value, layer };
  for (const name of ['platform', 'project'] as const) {
    const settings = layers[name];
    const mode = settings === null ? null : pack_id === null ? settings.mode : modeFor(settings, pack_id);
    if (mode !== null && looserThan(strictest.value, mode)) strictest = { value: mode, layer: name };
  }
  return strictest;
}

function approvalsIn(layers: AccessLayers): From<'human' | 'agent'> {
  const value = effectiveApprovals(layers);
  if (layers.base.approvals === value) return { value, layer: 'tenant' };
  if (layers.platform?.approvals === value) return { value, layer: 'platform' };
  if (layers.project?.approvals === value) return { value, layer: 'project' };
  if (layers.process_approvals === value) return { value, layer: 'process' };
  return { value: DEFAULT_APPROVALS, layer: 'default' };
}

async function shownLayers(
  { platform, tenant, own, project }: Loaded,
  caller: Caller,
  project_id: string | null,
  suspensions: Suspensions,
): Promise<Access['layers']> {
  const shown: Access['layers'] = [];
  const show = async (layer: Layer, settings: object, rules: readonly SetRule[]): Promise<void> => {
    const reached = rules.filter((rule) => reachesMatch(caller, rule.match));
    if (Object.keys(settings).length === 0 && reached.length === 0) return;
    const records: Access['layers'][number]['rules'] = [];
    for (const rule of reached) records.push(await record(rule, layer, project_id, suspensions));
    shown.push({ layer, settings: { ...settings }, rules: records });
  };
  const entry = async (layer: Layer, scope: ScopeEntry | null): Promise<void> => {
    if (scope === null) return;
    const { rules: _rules, ...settings } = scope.settings;
    await show(layer, settings, scope.rules);
  };
  await entry('platform', platform);
  await entry('tenant', tenant);
  await show('member', own.settings, own.member_rules);
  await show('session', own.max_mode === null ? {} : { max_mode: own.max_mode }, own.session_rules);
  await entry('project', project);
  const { process_mode, process_approvals } = caller;
  const asked = {
    ...(process_mode && { mode: process_mode }),
    ...(process_approvals && { approvals: process_approvals }),
  };
  await show('process', asked, []);
  return shown;
}

async function record(
  rule: SetRule,
  layer: Layer,
  project_id: string | null,
  suspensions: Suspensions,
): Promise<Access['layers'][number]['rules'][number]> {
  const scope = layer === 'member' || layer === 'session' || layer === 'project' ? layer : 'tenant';
  return {
    id: rule.id ?? null,
    scope,
    project_id: layer === 'project' ? project_id : null,
    ...plainRule(rule),
    suspended: await suspensions.of(rule, project_id),
  };
}

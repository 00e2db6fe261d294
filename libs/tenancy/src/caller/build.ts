import {
  BUILTIN_ROLES,
  CAPABILITIES,
  grantSchema,
  HCP_CLI_PACK_ID,
  PLATFORM_CAPABILITIES,
  type Caller,
  type Capability,
  type Grant,
  type PrincipalKind,
} from '@hcp/core';
import type { CallerFacts, GrantFact, KeyFact, PersonFact, RoleFact, SessionFact } from './facts.js';

/** Why someone is no caller. For logs and tests; over the wire all of them are the same 401. */
export type CallerRefusal =
  | 'malformed'
  | 'unknown'
  | 'wrong_secret'
  | 'ended'
  | 'disabled'
  | 'human_disabled'
  | 'maker_disabled'
  | 'tenant_stopped'
  | 'other_credential'
  | 'too_many_sessions';

export type CallerResult =
  | { readonly ok: true; readonly caller: Caller; readonly credential: Credential }
  | { readonly ok: false; readonly reason: CallerRefusal };

/** What the call's session hangs on: a session made by signing in, or an API key. */
export type Credential =
  | { readonly kind: 'session'; readonly id: string; readonly client_id: string | null }
  | { readonly kind: 'api_key'; readonly id: string; readonly secret_hash: string };

const KINDS: readonly string[] = ['human', 'agent', 'service'] satisfies readonly PrincipalKind[];
const isKind = (kind: string): kind is PrincipalKind => KINDS.includes(kind);

/** Decides purely, from facts of one instant, who calls and what they may do (SPEC T2, T4, T5, G5). */
export function buildCaller(
  facts: CallerFacts,
  call: { readonly tenant_id: string; readonly session_id: string; readonly agent: boolean },
): CallerResult {
  const refuse = (reason: CallerRefusal): CallerResult => ({ ok: false, reason });
  const { tenant, key } = facts;
  const own_session = facts.sessions[0];
  if (!tenant || (!own_session && !key)) return refuse('unknown');
  const owner_id = own_session?.principal_id ?? key?.principal_id;
  const owner = facts.people.find((person) => person.id === owner_id);
  if (!owner || !isKind(owner.kind)) return refuse('unknown');

  const credential = credentialOf(facts, own_session);
  if (!credential) return refuse('ended');
  // Each session must still stand: what was opened from another dies with it.
  if (facts.sessions.some((session) => !session.live || session.principal_id !== owner.id)) return refuse('ended');
  if (credential.kind === 'api_key' && (!key?.live || key.principal_id !== owner.id)) return refuse('ended');
  if (tenant.stopped) return refuse('tenant_stopped');
  if (owner.disabled) return refuse('disabled');
  const human = owner.acts_for === null ? null : facts.people.find((person) => person.id === owner.acts_for);
  if (human === undefined || (human && (human.kind !== 'human' || human.disabled))) return refuse('human_disabled');

  const via_key = credential.kind === 'api_key' ? key : null;
  // Whoever made a credential for another may have it in hand, so it does no more than that person may at this moment,
  // whatever its owner is given later, and nothing once that person is gone (SPEC G5).
  const maker_ids = makersOf(via_key, facts.sessions).filter((id) => id !== owner.id);
  const makers = facts.people.filter((person) => maker_ids.includes(person.id));
  if (makers.length < maker_ids.length || makers.some((maker) => maker.disabled)) return refuse('maker_disabled');
  const projects = boundProjects([...facts.sessions, ...(via_key ? [via_key] : [])]);
  const packs = reachablePacks(facts.sessions);
  const layers = [
    grantsOf(facts, owner, tenant.platform),
    ...(human ? [grantsOf(facts, human, tenant.platform)] : []),
    ...makers.map((maker) => grantsOf(facts, maker, tenant.platform)),
    ...(via_key && via_key.grants !== null ? [parseGrants(via_key.grants)] : []),
    ...narrowing(projects, packs),
  ];
  const project_id = projects[0] ?? null;
  const caller: Caller = {
    tenant_id: call.tenant_id,
    principal: { id: owner.id, kind: owner.kind },
    name: owner.name,
    acts_for: owner.acts_for,
    session: {
      id: call.session_id,
      interactive: via_key === null && owner.kind === 'human' && facts.sessions.every((session) => session.interactive),
      api_key_id: via_key?.id ?? null,
      project_id,
      packs,
    },
    // What a client does for a person is an agent's doing, also later, when its run is decided again (SPEC T2).
    is_agent: call.agent || owner.kind === 'agent' || facts.sessions.some((session) => session.client_id !== null),
    authority: { layers, member_of: memberOf(facts, owner, human, project_id) },
    settings_epoch: tenant.settings_epoch,
    platform: tenant.platform,
  };
  return { ok: true, caller, credential };
}

/** The root of the chain of sessions, or the key; null where the chain leads nowhere. */
function credentialOf(facts: CallerFacts, own_session: SessionFact | undefined): Credential | null {
  const key_id = own_session ? own_session.api_key_id : facts.key?.id;
  if (key_id !== null && key_id !== undefined) {
    return facts.key?.id === key_id ? { kind: 'api_key', id: key_id, secret_hash: facts.key.secret_hash } : null;
  }
  const root = facts.sessions.at(-1);
  return root?.parent_id === null ? { kind: 'session', id: root.id, client_id: root.client_id } : null;
}

/** Who minted the key, and who linked the subject of an external token. */
function makersOf(key: KeyFact | null, sessions: readonly SessionFact[]): string[] {
  const ids = [key?.created_by ?? null, ...sessions.map((session) => session.linked_by)];
  return [...new Set(ids.filter((id) => id !== null))];
}

function grantsOf(facts: CallerFacts, person: PersonFact, platform: boolean): Grant[] {
  const direct = facts.grants.filter((grant) => grant.principal_id === person.id).flatMap(directGrant);
  const by_role = facts.roles.filter((role) => role.principal_id === person.id).flatMap(roleGrants);
  const platform_only: readonly string[] = PLATFORM_CAPABILITIES;
  // Platform capabilities mean nothing outside the platform tenant, whatever its rows say (SPEC G1).
  return [...direct, ...by_role].filter((grant) => platform || !platform_only.includes(grant.capability));
}

function directGrant(fact: GrantFact): Grant[] {
  // A capability that this version does not know is no right.
  if (!(CAPABILITIES as readonly string[]).includes(fact.capability)) return [];
  return [
    {
      capability: fact.capability as Capability,
      ...(fact.pack_id !== null ? { pack_id: fact.pack_id } : {}),
      ...(fact.verb_keys.length > 0 ? { verb_keys: fact.verb_keys } : {}),
      ...(fact.project_id !== null ? { project_id: fact.project_id } : {}),
      ...(fact.expires_at !== null ? { expires_at: fact.expires_at } : {}),
    },
  ];
}

/** A role assigned in one project gives its grants there alone. Built-in names win: a tenant's role cannot shadow them. */
function roleGrants(fact: RoleFact): Grant[] {
  const built_in = Object.hasOwn(BUILTIN_ROLES, fact.role) ? BUILTIN_ROLES[fact.role] : undefined;
  const grants = built_in ?? (fact.grants === null ? [] : parseGrants(fact.grants));
  const { project_id } = fact;
  if (project_id === null) return [...grants];
  return grants
    .filter((grant) => grant.project_id === undefined || grant.project_id === project_id)
    .map((grant) => ({ ...grant, project_id }));
}

/** Stored grants; what cannot be read gives nothing. */
export function parseGrants(stored: unknown): Grant[] {
  const parsed = grantSchema.array().safeParse(stored);
  return parsed.success ? parsed.data : [];
}

/** The projects that sessions and key are bound to: at most one, unless something contradicts (then nothing is allowed). */
function boundProjects(bounds: readonly { readonly project_id: string | null }[]): string[] {
  return [...new Set(bounds.map((bound) => bound.project_id).filter((id) => id !== null))];
}

/** Packs that every session of the chain reaches; null: no session narrows them. */
function reachablePacks(sessions: readonly SessionFact[]): string[] | null {
  const [first, ...others] = sessions.filter((session) => session.narrows_packs).map((session) => session.packs);
  if (!first) return null;
  return first.filter((pack_id) => others.every((packs) => packs.includes(pack_id)));
}

/**
 * A key or session bound to a project or to some packs is narrower than its owner on every route, so each bound is a
 * layer like any other (SPEC G5). The built-in pack is always active (SPEC P8).
 */
function narrowing(projects: readonly string[], packs: readonly string[] | null): Grant[][] {
  const layers: Grant[][] = projects.map((project_id) =>
    CAPABILITIES.map((capability) => ({ capability, project_id })),
  );
  if (packs !== null) {
    const reachable = [...new Set([...packs, HCP_CLI_PACK_ID])];
    layers.push(CAPABILITIES.flatMap((capability) => reachable.map((pack_id) => ({ capability, pack_id }))));
  }
  return layers;
}

function memberOf(
  facts: CallerFacts,
  owner: PersonFact,
  human: PersonFact | null,
  project_id: string | null,
): string[] {
  const of = (id: string): string[] =>
    facts.memberships.filter((member) => member.principal_id === id).map((member) => member.project_id);
  const shared = human ? of(human.id) : null;
  return of(owner.id).filter(
    (id) => (shared === null || shared.includes(id)) && (project_id === null || project_id === id),
  );
}

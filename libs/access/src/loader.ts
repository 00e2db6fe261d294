import {
  EMPTY_LAYER,
  layerOf,
  RuleSet,
  strictestMode,
  type AccessLayers,
  type Caller,
  type LayerSettings,
  type Mode,
  type SetRule,
  type Settings,
  type TenantSettings,
} from '@hcp/core';
import type { Tx } from '@hcp/database';
import { LRUCache } from 'lru-cache';
import { maxModeOf, ruleOf, settingsOf } from './stored.js';
import { textDigest } from './text-digest.js';

/** One scope's settings as stored, and compiled. */
export interface ScopeEntry {
  readonly settings: TenantSettings;
  readonly rules: readonly SetRule[];
  readonly layer: LayerSettings;
}

/** What was set for one caller alone: own settings, the session's rules, and how far HCP-Mode may loosen. */
export interface OwnEntry {
  readonly settings: TenantSettings;
  readonly member_rules: readonly SetRule[];
  readonly session_rules: readonly SetRule[];
  readonly max_mode: Mode | null;
  /** The tenant's rules joined by those of this caller that count. */
  readonly base: RuleSet;
}

export interface LoadQuery {
  readonly caller: Caller;
  /** The project of the call. */
  readonly project_id: string | null;
}

/** All that was set for a call, before it is one decision's layers. */
export interface Loaded {
  readonly platform: ScopeEntry | null;
  readonly tenant: ScopeEntry;
  readonly own: OwnEntry;
  readonly project: ScopeEntry | null;
}

/** Rules that all cached entries hold together, at most. */
const MAX_CACHED_RULES = 200_000;

/**
 * Loads what was set for a caller (SPEC A6), compiled. Cached by the tenant's settings epoch, which every change moves in
 * its own transaction: an epoch that was read before the rows were is never newer than they are, so an entry is never
 * older than its key says.
 */
export class AccessLoader {
  readonly #scopes = new LRUCache<string, ScopeEntry>({
    maxSize: MAX_CACHED_RULES,
    sizeCalculation: ({ rules }) => rules.length + 1,
  });
  readonly #own = new LRUCache<string, OwnEntry>({
    maxSize: MAX_CACHED_RULES,
    sizeCalculation: ({ base }) => base.size + 1,
  });
  readonly #platform: (ScopeEntry & { readonly settings: Settings }) | null;

  /** @param platform what the operator set for every tenant; it only tightens */
  constructor(platform: Settings | null = null) {
    const rules = (platform?.rules ?? []).map((rule): SetRule => ({ ...rule, layer: 'platform' }));
    this.#platform = platform && { settings: platform, rules, layer: layerOf(platform, rules) };
  }

  /** One that remembers nothing, for a transaction whose own changes may yet be rolled back. */
  uncached(): AccessLoader {
    return new AccessLoader(this.#platform?.settings ?? null);
  }

  /** The layers that decide about the caller's calls in this project. */
  readonly load = async (tx: Tx, query: LoadQuery): Promise<AccessLayers> => {
    return layersOf(await this.loadAll(tx, query), query.caller);
  };

  async loadAll(tx: Tx, { caller, project_id }: LoadQuery): Promise<Loaded> {
    const tenant = await this.#scope(tx, caller, null);
    return {
      platform: this.#platform,
      tenant,
      own: await this.#ownOf(tx, caller, tenant),
      project: project_id === null ? null : await this.#scope(tx, caller, project_id),
    };
  }

  async #scope(tx: Tx, caller: Caller, project_id: string | null): Promise<ScopeEntry> {
    const { tenant_id, settings_epoch } = caller;
    const key = `${tenant_id} ${String(settings_epoch)} ${project_id ?? ''}`;
    const known = this.#scopes.get(key);
    if (known) return known;
    const where = { tenant_id, scope: project_id === null ? 'tenant' : 'project', project_id };
    const settings = settingsOf(await tx.accessSettings.findFirst({ where, select: { settings: true } }));
    const rules = (await tx.accessRule.findMany({ where, orderBy: { id: 'asc' } })).map(ruleOf);
    const entry = { settings, rules, layer: layerOf(settings, rules) };
    this.#scopes.set(key, entry);
    return entry;
  }

  async #ownOf(tx: Tx, caller: Caller, tenant: ScopeEntry): Promise<OwnEntry> {
    const { tenant_id, settings_epoch, session, principal } = caller;
    const alone = isAlone(caller);
    const key = [tenant_id, settings_epoch, session.id, session.api_key_id, principal.id, alone].join(' ');
    const known = this.#own.get(key);
    if (known) return known;
    const rows = await tx.accessSettings.findMany({
      where: {
        tenant_id,
        OR: [
          { scope: 'session', session_id: session.id },
          ...(session.api_key_id === null ? [] : [{ scope: 'api_key', api_key_id: session.api_key_id }]),
          ...(alone ? [{ scope: 'member', principal_id: principal.id }] : []),
        ],
      },
      select: { scope: true, settings: true },
    });
    const rules = await tx.accessRule.findMany({
      where: {
        tenant_id,
        OR: [
          { scope: 'session', session_id: session.id },
          ...(alone ? [{ scope: 'member', principal_id: principal.id }] : []),
        ],
      },
      orderBy: { id: 'asc' },
    });
    const member_rules = rules.filter(({ scope }) => scope === 'member').map(ruleOf);
    const session_rules = rules.filter(({ scope }) => scope === 'session').map(ruleOf);
    const joined = [...session_rules, ...(tenant.settings.member_access === true ? member_rules : [])];
    const entry: OwnEntry = {
      settings: settingsOf(rows.find(({ scope }) => scope === 'member')),
      member_rules,
      session_rules,
      max_mode: rows
        .filter(({ scope }) => scope !== 'member')
        .map(maxModeOf)
        .reduce((one, other) => (one === null || other === null ? (one ?? other) : strictestMode(one, other)), null),
      base: joined.length === 0 ? tenant.layer.rules : new RuleSet([...tenant.rules, ...joined]),
    };
    this.#own.set(key, entry);
    return entry;
  }
}

/** A person on a call that no agent makes: own settings are for that person alone (SPEC A6). */
export const isAlone = ({ principal, is_agent }: Caller): boolean => principal.kind === 'human' && !is_agent;

export function layersOf({ platform, tenant, own, project }: Loaded, caller: Caller): AccessLayers {
  const { second_person, approvers, reason_required, narrower, pending_ttl_s, member_access } = tenant.settings;
  return {
    base: { ...EMPTY_LAYER, ...tenant.layer, rules: own.base },
    approving: { second_person, approvers, reason_required, narrower, pending_ttl_s },
    own_mode: member_access === true ? (own.settings.mode ?? null) : null,
    process_mode: caller.process_mode ?? null,
    max_mode: own.max_mode,
    process_approvals: caller.process_approvals ?? null,
    platform: platform?.layer ?? null,
    project: project?.layer ?? null,
    textOf: textDigest,
  };
}

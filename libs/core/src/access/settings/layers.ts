import type { Pack } from '../../packs/pack.js';
import { RuleSet } from '../rules/rule-set.js';
import type { Layer, SetRule } from '../rules/rule.js';
import { DEFAULT_APPROVALS, type Approvals, type Mode, type Settings, type TenantSettings } from './settings.js';

/** One layer's opinion: its rules, and its mode for this pack if it has any. */
export interface LayerSettings {
  readonly rules: RuleSet;
  readonly mode: Mode | null;
  readonly pack_modes: Readonly<Record<string, Mode>>;
  readonly approvals: Approvals | null;
}

/** What the tenant demands of every yes (SPEC V4). */
export type ApprovalSettings = Pick<
  TenantSettings,
  'second_person' | 'approvers' | 'reason_required' | 'narrower' | 'pending_ttl_s'
>;

/** Everything that was set for a caller, layer by layer (SPEC A6). */
export interface AccessLayers {
  /** The tenant's settings, joined by session rules and, where allowed, the person's own. */
  readonly base: LayerSettings;
  readonly approving: ApprovalSettings;
  /** A person's own mode, where the tenant sets `member_access`. */
  readonly own_mode: Mode | null;
  /** What the process asked for (`HCP-Mode`), and how far a human let it loosen. */
  readonly process_mode: Mode | null;
  readonly max_mode: Mode | null;
  /** What the process asked for (`HCP-Approvals`): only `human` counts, because it tightens. */
  readonly process_approvals: Approvals | null;
  /** Judged apart; they only tighten. */
  readonly platform: LayerSettings | null;
  readonly project: LayerSettings | null;
  /** The digest of a command's text, by which an exact allow rule knows it again (SPEC P7). */
  readonly textOf: (pack: Pack, verb_key: string) => string;
}

/** Something that was set and does not count, with why. */
export interface Ignored {
  readonly layer: Layer;
  /** As in `mode`, `packs.transit.mode`, `rules.0`. */
  readonly setting: string;
  readonly why: string;
  readonly rule_id?: string;
}

export const EMPTY_LAYER: LayerSettings = { rules: new RuleSet([]), mode: null, pack_modes: {}, approvals: null };

/** A settings document as one layer; its rules come apart, with where each was written. */
export function layerOf(settings: Settings, rules: readonly SetRule[] = settings.rules ?? []): LayerSettings {
  const modes = Object.entries(settings.packs ?? {}).flatMap(([pack_id, { mode }]) =>
    mode === undefined ? [] : [[pack_id, mode] as const],
  );
  return {
    rules: new RuleSet(rules),
    mode: settings.mode ?? null,
    pack_modes: Object.fromEntries(modes),
    approvals: settings.approvals ?? null,
  };
}

/** Nothing was set by anybody. */
export const DEFAULT_ACCESS: AccessLayers = {
  base: EMPTY_LAYER,
  approving: {},
  own_mode: null,
  process_mode: null,
  max_mode: null,
  process_approvals: null,
  platform: null,
  project: null,
  textOf: () => '',
};

/** Whose yes counts: an agent's only where the tenant says so and no other layer objects (SPEC A5, A6). */
export function effectiveApprovals({ base, platform, project, process_approvals }: AccessLayers): Approvals {
  const objects = [platform?.approvals, project?.approvals, process_approvals].includes('human');
  return objects ? 'human' : (base.approvals ?? DEFAULT_APPROVALS);
}

/** A layer's mode for one pack, or null where it has none. */
export function modeFor(
  { mode, pack_modes }: Pick<LayerSettings, 'mode' | 'pack_modes'>,
  pack_id: string,
): Mode | null {
  return (Object.hasOwn(pack_modes, pack_id) ? pack_modes[pack_id] : undefined) ?? mode;
}

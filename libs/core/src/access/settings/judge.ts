import type { AccessReasonCode } from './reasons.js';
import { reasonFor } from './reasons.js';
import type { RuleCall, Ruling, RuleSet } from '../rules/rule-set.js';
import { DEFAULT_MODE, looserThan, strictestMode, type Layer, type Mode } from './settings.js';

/** One layer's opinion: its rules, and its mode for this pack if it has any. */
export interface LayerSettings {
  readonly rules: RuleSet;
  readonly mode: Mode | null;
  readonly pack_modes: Readonly<Record<string, Mode>>;
}

/** Everything that was set for a caller, layer by layer (SPEC A6). */
export interface AccessLayers {
  /** The tenant's settings, joined by session rules and, where allowed, the person's own. */
  readonly base: LayerSettings;
  /** A person's own mode, where the tenant sets `member_access`. */
  readonly own_mode: Mode | null;
  /** What the process asked for (`HCP_MODE`), and how far a human let it loosen. */
  readonly process_mode: Mode | null;
  readonly max_mode: Mode | null;
  /** Judged apart; they only tighten. */
  readonly platform: LayerSettings | null;
  readonly project: LayerSettings | null;
}

/** Something that was set and does not count, with why. */
export interface Ignored {
  readonly layer: Layer;
  readonly setting: string;
  readonly why: string;
}

export interface ModeChoice {
  readonly mode: Mode;
  readonly layer: Layer | 'default';
  readonly ignored: readonly Ignored[];
}

/** The base's mode for a pack: process, own, pack, tenant, the first that is set (SPEC A6). */
export function baseMode(layers: AccessLayers, pack_id: string): ModeChoice {
  const set = settledMode(layers, pack_id);
  const { process_mode: wanted, max_mode } = layers;
  if (wanted === null || wanted === set.mode) return { ...set, ignored: [] };
  if (!looserThan(wanted, set.mode)) return { mode: wanted, layer: 'process', ignored: [] };
  const bound = max_mode ?? set.mode;
  const mode = strictestMode(wanted, looserThan(bound, set.mode) ? bound : set.mode);
  const why = max_mode === null ? 'no person let this key or session loosen the mode' : `max_mode is ${max_mode}`;
  const ignored = mode === wanted ? [] : [{ layer: 'process', setting: 'mode', why } as const];
  return mode === set.mode ? { ...set, ignored } : { mode, layer: 'process', ignored };
}

function settledMode(layers: AccessLayers, pack_id: string): { mode: Mode; layer: Layer | 'default' } {
  if (layers.own_mode !== null) return { mode: layers.own_mode, layer: 'member' };
  const { pack_modes, mode } = layers.base;
  const for_pack = Object.hasOwn(pack_modes, pack_id) ? pack_modes[pack_id] : undefined;
  if (for_pack !== undefined) return { mode: for_pack, layer: 'pack' };
  return mode === null ? { mode: DEFAULT_MODE, layer: 'default' } : { mode, layer: 'tenant' };
}

export interface Judgement {
  readonly decision: 'allow' | 'ask' | 'deny';
  readonly mode: Mode;
  readonly layer: Layer | 'default';
  readonly reason_code: AccessReasonCode | null;
  readonly reason: string;
  readonly ruling: Ruling | null;
  readonly ignored: readonly Ignored[];
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

/** The strictest of base, platform and project, each judged by its own rules and mode (SPEC A4, A6). */
export function judgeAccess(layers: AccessLayers, call: RuleCall): Judgement {
  const chosen = baseMode(layers, call.pack_id);
  let strictest = judgeLayer(layers.base.rules, chosen.mode, chosen.layer, 'tenant', call);
  for (const [layer, settings] of [
    ['platform', layers.platform],
    ['project', layers.project],
  ] as const) {
    if (settings === null) continue;
    const opinion = judgeTightening(settings, layer, call);
    if (opinion !== null && STRICTNESS[opinion.decision] > STRICTNESS[strictest.decision]) strictest = opinion;
  }
  return { ...strictest, ignored: chosen.ignored };
}

type Opinion = Omit<Judgement, 'ignored'>;

function judgeLayer(
  rules: RuleSet,
  mode: Mode,
  mode_layer: Layer | 'default',
  rule_layer: Layer,
  call: RuleCall,
): Opinion {
  const ruling = rules.judge(call);
  if (ruling !== null) {
    const asks = ruling.decision === 'ask';
    return {
      decision: ruling.decision,
      mode,
      layer: rule_layer,
      reason_code: asks ? 'rule_ask' : null,
      reason: asks ? `Rule ${ruling.rule.match} asks` : `Rule ${ruling.rule.match} decides ${ruling.decision}`,
      ruling,
    };
  }
  const asked = reasonFor(mode, call);
  return {
    decision: asked === null ? 'allow' : 'ask',
    mode,
    layer: mode_layer,
    reason_code: asked?.reason_code ?? null,
    reason: asked?.reason ?? `Mode ${mode} runs it`,
    ruling: null,
  };
}

/** A layer that only tightens has no opinion where it says nothing: its allow cannot loosen anything. */
function judgeTightening(settings: LayerSettings, layer: Layer, call: RuleCall): Opinion | null {
  const for_pack = Object.hasOwn(settings.pack_modes, call.pack_id) ? settings.pack_modes[call.pack_id] : undefined;
  const mode = for_pack ?? settings.mode;
  const ruling = settings.rules.judge(call);
  if (ruling === null && mode === null) return null;
  return judgeLayer(settings.rules, mode ?? 'run', layer, layer, call);
}

import type { Layer, RuleDecision } from '../rules/rule.js';
import type { RuleCall, Ruling, RuleSet } from '../rules/rule-set.js';
import { modeFor, type AccessLayers, type Ignored, type LayerSettings } from './layers.js';
import { baseMode } from './mode.js';
import { reasonFor, type AccessReasonCode } from './reasons.js';
import { strictestMode, type Mode } from './settings.js';

/** What the settings say of one call, before anyone's yes. */
export interface Judgement {
  readonly decision: RuleDecision;
  /** The mode that was in force. */
  readonly mode: Mode;
  /** Who decided: the rule's layer, else the mode's. */
  readonly layer: Layer | 'default';
  /** Null unless it asks. */
  readonly reason_code: AccessReasonCode | null;
  readonly reason: string;
  /** The rule that decided; null where the mode did. */
  readonly ruling: Ruling | null;
  readonly ignored: readonly Ignored[];
}

/** The strictest of base, platform and project, each judged by its own rules and mode (SPEC A4, A6). */
export function judgeAccess(layers: AccessLayers, call: RuleCall): Judgement {
  const { mode, layer, ignored } = baseMode(layers, call.pack_id);
  const base = judgeLayer(layers.base.rules, mode, layer, 'tenant', call);
  const platform = layers.platform && judgeTightening(layers.platform, mode, 'platform', call);
  const project = layers.project && judgeTightening(layers.project, mode, 'project', call);
  return { ...stricter(stricter(base, platform), project), ignored };
}

type Opinion = Omit<Judgement, 'ignored'>;

/**
 * Of two asks the one counts that fewer may answer: no agent's yes does where any rule asked (SPEC A5), so that a rule
 * of another layer must not hide behind a plain `confirm`.
 */
const STRICTNESS: Readonly<Record<AccessReasonCode, number>> = {
  confirm: 1,
  mode_manual: 2,
  confirm_always: 3,
  rule_ask: 4,
};

function strictness({ decision, reason_code }: Opinion): number {
  if (decision === 'deny') return 5;
  return reason_code === null ? 0 : STRICTNESS[reason_code];
}

function stricter(one: Opinion, other: Opinion | null): Opinion {
  return other !== null && strictness(other) > strictness(one) ? other : one;
}

function judgeLayer(
  rules: RuleSet,
  mode: Mode,
  mode_layer: Layer | 'default',
  rule_layer: Layer,
  call: RuleCall,
): Opinion {
  const ruling = rules.judge(call);
  return ruling === null ? byMode(mode, mode_layer, call) : byRule(ruling, mode, rule_layer);
}

/** A layer that only tightens has no opinion where it says nothing, and the loosest mode says nothing. */
function judgeTightening(settings: LayerSettings, base: Mode, layer: Layer, call: RuleCall): Opinion | null {
  const own = modeFor(settings, call.pack_id);
  const ruling = settings.rules.judge(call);
  if (ruling !== null) return byRule(ruling, own === null ? base : strictestMode(own, base), layer);
  return own === null || own === 'run' ? null : byMode(own, layer, call);
}

function byRule(ruling: Ruling, mode: Mode, layer: Layer): Opinion {
  const { decision, rule } = ruling;
  const asks = decision === 'ask';
  return {
    decision,
    mode,
    layer: rule.layer ?? layer,
    reason_code: asks ? 'rule_ask' : null,
    reason: asks
      ? `Rule ${rule.match} asks`
      : decision === 'deny'
        ? `Rule ${rule.match} denies`
        : `Rule ${rule.match} allows`,
    ruling,
  };
}

function byMode(mode: Mode, layer: Layer | 'default', call: RuleCall): Opinion {
  const asked = reasonFor(mode, call);
  return {
    decision: asked === null ? 'allow' : 'ask',
    mode,
    layer,
    reason_code: asked?.reason_code ?? null,
    reason: asked?.reason ?? `Mode ${mode} runs it`,
    ruling: null,
  };
}

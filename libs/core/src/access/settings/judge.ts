import type { Layer, RuleDecision } from '../rules/rule.js';
import type { RuleCall, Ruling } from '../rules/rule-set.js';
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
  const ruling = layers.base.rules.judge(call);
  const base = ruling === null ? byMode(mode, layer, call, ignored) : byRule(ruling, mode, 'tenant', ignored);
  if (layers.platform === null && layers.project === null) return base;
  const platform = layers.platform && judgeTightening(layers.platform, mode, 'platform', call, ignored);
  const project = layers.project && judgeTightening(layers.project, mode, 'project', call, ignored);
  return stricter(stricter(base, platform), project);
}

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

/** Which of two judgements counts: the higher one. */
export function strictness({ decision, reason_code }: Judgement): number {
  if (decision === 'deny') return 5;
  return reason_code === null ? 0 : STRICTNESS[reason_code];
}

function stricter(one: Judgement, other: Judgement | null): Judgement {
  return other !== null && strictness(other) > strictness(one) ? other : one;
}

/** A layer that only tightens has no opinion where it says nothing, and the loosest mode says nothing. */
function judgeTightening(
  settings: LayerSettings,
  base: Mode,
  layer: Layer,
  call: RuleCall,
  ignored: readonly Ignored[],
): Judgement | null {
  const own = modeFor(settings, call.pack_id);
  const ruling = settings.rules.judge(call);
  if (ruling !== null) return byRule(ruling, own === null ? base : strictestMode(own, base), layer, ignored);
  return own === null || own === 'run' ? null : byMode(own, layer, call, ignored);
}

const VERBS = { allow: 'allows', ask: 'asks', deny: 'denies' } as const;

function byRule(ruling: Ruling, mode: Mode, layer: Layer, ignored: readonly Ignored[]): Judgement {
  const { decision, rule } = ruling;
  return {
    decision,
    mode,
    layer: rule.layer ?? layer,
    reason_code: decision === 'ask' ? 'rule_ask' : null,
    reason: `Rule ${rule.match} ${VERBS[decision]}`,
    ruling,
    ignored,
  };
}

function byMode(mode: Mode, layer: Layer | 'default', call: RuleCall, ignored: readonly Ignored[]): Judgement {
  const asked = reasonFor(mode, call);
  return {
    decision: asked === null ? 'allow' : 'ask',
    mode,
    layer,
    reason_code: asked === null ? null : asked.reason_code,
    reason: asked === null ? `Mode ${mode} runs it` : asked.reason,
    ruling: null,
    ignored,
  };
}

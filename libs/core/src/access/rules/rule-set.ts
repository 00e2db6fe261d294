import { Bucket } from './bucket.js';
import type { RuleCall } from './call.js';
import { parseMatch, type RuleDecision, type SetRule } from './rule.js';

export type { RuleCall } from './call.js';

/** What a set of rules says; null where none applies, and the mode decides. */
export interface Ruling {
  readonly decision: RuleDecision;
  readonly rule: SetRule;
}

/**
 * Rules of one layer, indexed by what they match: a call looks at its own command's, its pack's and the general ones,
 * however many others there are.
 */
export class RuleSet {
  readonly #commands = new Map<string, Map<string, Bucket>>();
  readonly #packs = new Map<string, Bucket>();
  readonly #all = new Bucket();
  readonly size: number;

  constructor(rules: readonly SetRule[]) {
    this.size = rules.length;
    for (const rule of rules) this.#bucketOf(rule).add(rule);
  }

  /**
   * Any deny that applies wins. Else the most specific of what applies: a command before its pack before everything, with
   * conditions before without, ask before allow (SPEC A4). For `confirm: "always"` an allow rule counts only where it
   * names exactly the command (SPEC A2).
   */
  judge(call: RuleCall): Ruling | null {
    if (this.size === 0) return null;
    const exact = this.#commands.get(call.pack_id)?.get(call.verb_key);
    const pack = this.#packs.get(call.pack_id);
    const all = this.#all;
    const denied = exact?.denies(call) ?? pack?.denies(call) ?? all.denies(call);
    if (denied) return { decision: 'deny', rule: denied };
    const asks_only = call.confirm === 'always';
    const rule = exact?.decides(call, false) ?? pack?.decides(call, asks_only) ?? all.decides(call, asks_only);
    return rule ? { decision: rule.decision, rule } : null;
  }

  #bucketOf(rule: SetRule): Bucket {
    const match = parseMatch(rule.match);
    // A rule that cannot be read must not be passed over in silence: it might have been a deny.
    if (match === null) throw new Error('a rule has a match that is none');
    if (match.kind === 'all') return this.#all;
    if (match.kind === 'pack') return getOrMake(this.#packs, match.pack_id, () => new Bucket());
    const commands = getOrMake(this.#commands, match.pack_id, () => new Map<string, Bucket>());
    return getOrMake(commands, match.verb_key, () => new Bucket());
  }
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const present = map.get(key);
  if (present !== undefined) return present;
  const made = make();
  map.set(key, made);
  return made;
}

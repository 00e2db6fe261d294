import type { Operation, PolicyRow } from '../../packs/policy.js';
import { conditionsHold, type Args } from './conditions.js';
import { parseMatch, type Rule, type Specificity } from './rule.js';

/** The call that rules are asked about. */
export interface RuleCall {
  readonly pack_id: string;
  readonly verb_key: string;
  readonly operation: Operation;
  readonly confirm: PolicyRow['confirm'];
  /** As the command gets them, without control words. */
  readonly args: Args;
}

/** What a set of rules says; null where none applies, and the mode decides. */
export interface Ruling {
  readonly decision: 'allow' | 'ask' | 'deny';
  readonly rule: Rule;
}

/** Rules of one match, apart by what they do, in the order in which they are asked. */
interface Bucket {
  readonly deny: Rule[];
  /** Ask before allow, and with conditions before without: the first that holds decides. */
  readonly ranked: Rule[];
}

/**
 * Rules of one layer, indexed by what they match: a call looks at its own command's, its pack's and the general ones,
 * however many others there are.
 */
export class RuleSet {
  readonly #commands = new Map<string, Map<string, Bucket>>();
  readonly #packs = new Map<string, Bucket>();
  readonly #all: Bucket = { deny: [], ranked: [] };
  readonly size: number;

  constructor(rules: readonly Rule[]) {
    this.size = rules.length;
    for (const rule of rules) this.#bucketOf(rule)[rule.decision === 'deny' ? 'deny' : 'ranked'].push(rule);
    for (const bucket of this.#buckets()) bucket.ranked.sort((a, b) => rank(b) - rank(a));
  }

  /**
   * Any deny that applies wins. Else the most specific of what applies: a command before its pack before everything, with
   * conditions before without, ask before allow (SPEC A4). For `confirm: "always"` an allow rule counts only where it
   * names exactly the command (SPEC A2).
   */
  judge(call: RuleCall): Ruling | null {
    const exact = this.#commands.get(call.pack_id)?.get(call.verb_key);
    const pack = this.#packs.get(call.pack_id);
    const denied = firstOf(exact?.deny, call) ?? firstOf(pack?.deny, call) ?? firstOf(this.#all.deny, call);
    if (denied) return { decision: 'deny', rule: denied };
    const wide = call.confirm === 'always' ? onlyAsks : anyRule;
    const rule =
      firstOf(exact?.ranked, call) ?? firstOf(pack?.ranked, call, wide) ?? firstOf(this.#all.ranked, call, wide);
    return rule ? { decision: rule.decision, rule } : null;
  }

  #bucketOf(rule: Rule): Bucket {
    const match = parseMatch(rule.match);
    // A rule that cannot be read must not be passed over in silence: it might have been a deny.
    if (match === null) throw new Error('a rule has a match that is none');
    if (match.kind === 'all') return this.#all;
    if (match.kind === 'pack') return getOrMake(this.#packs, match.pack_id, emptyBucket);
    const commands = getOrMake(this.#commands, match.pack_id, () => new Map<string, Bucket>());
    return getOrMake(commands, match.verb_key, emptyBucket);
  }

  *#buckets(): Generator<Bucket> {
    yield this.#all;
    yield* this.#packs.values();
    for (const commands of this.#commands.values()) yield* commands.values();
  }
}

/** How specific a rule's match is (SPEC A4). */
export function specificity(rule: Rule): Specificity {
  if (rule.match === '*') return 0;
  return rule.match.endsWith('.*') ? 1 : 2;
}

export const hasConditions = (rule: Rule): boolean => rule.when !== undefined || rule.op !== undefined;

const rank = (rule: Rule): number => (hasConditions(rule) ? 2 : 0) + (rule.decision === 'ask' ? 1 : 0);

const anyRule = (): boolean => true;
const onlyAsks = (rule: Rule): boolean => rule.decision === 'ask';

function firstOf(
  rules: readonly Rule[] | undefined,
  call: RuleCall,
  counts: (rule: Rule) => boolean = anyRule,
): Rule | null {
  if (rules === undefined) return null;
  for (const rule of rules) {
    if (!counts(rule)) continue;
    if (rule.op !== undefined && rule.op !== call.operation) continue;
    if (conditionsHold(rule, call.args)) return rule;
  }
  return null;
}

const emptyBucket = (): Bucket => ({ deny: [], ranked: [] });

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const present = map.get(key);
  if (present !== undefined) return present;
  const made = make();
  map.set(key, made);
  return made;
}

import { conditionsHold } from './conditions.js';
import type { SetRule } from './rule.js';
import type { RuleCall } from './rule-set.js';

/** Rules of one match and one rank. Those that want an argument to equal a text are found by that text. */
export class RuleGroup {
  readonly #plain: SetRule[] = [];
  readonly #by_value = new Map<string, Map<string, SetRule[]>>();

  add(rule: SetRule): void {
    const [equals] = Object.entries(rule.when?.args ?? {});
    if (equals === undefined) {
      this.#plain.push(rule);
      return;
    }
    const [name, value] = equals;
    const values = this.#by_value.get(name) ?? new Map<string, SetRule[]>();
    this.#by_value.set(name, values);
    const rules = values.get(value);
    if (rules === undefined) values.set(value, [rule]);
    else rules.push(rule);
  }

  /** The first that applies, or null. */
  find(call: RuleCall): SetRule | null {
    const plain = firstOf(this.#plain, call);
    if (plain !== null || this.#by_value.size === 0) return plain;
    for (const [name, values] of this.#by_value) {
      const value = Object.hasOwn(call.args, name) ? call.args[name] : undefined;
      // What else there is equals no text, and the conditions below would say so.
      const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
      const found = typeof text === 'string' ? firstOf(values.get(text), call) : null;
      if (found !== null) return found;
    }
    return null;
  }
}

/** Rules of one match, by rank: the first group with one that applies decides (SPEC A4). */
export class Bucket {
  #deny: RuleGroup | null = null;
  /** Ask with conditions, allow with conditions, ask, allow. */
  readonly #ranked: (RuleGroup | undefined)[] = [];

  add(rule: SetRule): void {
    const group = rule.decision === 'deny' ? (this.#deny ??= new RuleGroup()) : this.#groupOf(rule);
    group.add(rule);
  }

  denies(call: RuleCall): SetRule | null {
    return this.#deny === null ? null : this.#deny.find(call);
  }

  /** @param asks_only leaves allow rules out */
  decides(call: RuleCall, asks_only: boolean): SetRule | null {
    for (let rank = 0; rank < this.#ranked.length; rank += asks_only ? 2 : 1) {
      const group = this.#ranked[rank];
      const found = group === undefined ? null : group.find(call);
      if (found !== null) return found;
    }
    return null;
  }

  #groupOf(rule: SetRule): RuleGroup {
    const rank = (hasConditions(rule) ? 0 : 2) + (rule.decision === 'ask' ? 0 : 1);
    return (this.#ranked[rank] ??= new RuleGroup());
  }
}

const hasConditions = (rule: SetRule): boolean => rule.when !== undefined || rule.op !== undefined;

function firstOf(rules: readonly SetRule[] | undefined, call: RuleCall): SetRule | null {
  if (rules === undefined) return null;
  for (const rule of rules) {
    if (rule.op !== undefined && rule.op !== call.operation) continue;
    if (conditionsHold(rule, call.args) && !isSuspended(rule, call)) return rule;
  }
  return null;
}

/** An allow that a person gave for another text of the command, or another version of the pack, does not count (SPEC P7, C4). */
function isSuspended(rule: SetRule, call: RuleCall): boolean {
  if (rule.decision !== 'allow') return false;
  if (rule.pack_digest !== undefined && rule.pack_digest !== call.pack_digest) return true;
  return rule.text !== undefined && rule.text !== call.text?.();
}

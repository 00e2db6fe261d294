import type { RuleCall } from './call.js';
import { conditionsMatch, conditionsOf, own, textOf, type Conditions } from './conditions.js';
import type { SetRule } from './rule.js';

interface Entry {
  readonly rule: SetRule;
  readonly conditions: Conditions;
}

/** Rules that want one argument to equal a text, by that text. */
interface ByValue {
  readonly name: string;
  readonly entries: Map<string, Entry[]>;
}

/** Rules of one match and one rank. */
class RuleGroup {
  readonly #plain: Entry[] = [];
  readonly #by_value: ByValue[] = [];

  add(rule: SetRule): void {
    const entry = { rule, conditions: conditionsOf(rule) };
    const [equal] = entry.conditions.equals;
    if (equal === undefined) {
      this.#plain.push(entry);
      return;
    }
    const { name, value } = equal;
    let by = this.#by_value.find((each) => each.name === name);
    if (by === undefined) this.#by_value.push((by = { name, entries: new Map() }));
    const entries = by.entries.get(value);
    if (entries === undefined) by.entries.set(value, [entry]);
    else entries.push(entry);
  }

  /** The first that applies, or null. */
  find(call: RuleCall): SetRule | null {
    const plain = firstOf(this.#plain, call);
    if (plain !== null) return plain;
    for (const { name, entries } of this.#by_value) {
      const text = textOf(own(call.args, name));
      const some = text === null ? undefined : entries.get(text);
      const found = some === undefined ? null : firstOf(some, call);
      if (found !== null) return found;
    }
    return null;
  }
}

/** Rules of one match, by rank: the first group with one that applies decides (SPEC A4). */
export class Bucket {
  #deny: RuleGroup | null = null;
  /** Ask with conditions, allow with conditions, ask, allow. */
  readonly #ranked: (RuleGroup | null)[] = [null, null, null, null];

  add(rule: SetRule): void {
    const group = rule.decision === 'deny' ? (this.#deny ??= new RuleGroup()) : this.#groupOf(rule);
    group.add(rule);
  }

  denies(call: RuleCall): SetRule | null {
    return this.#deny === null ? null : this.#deny.find(call);
  }

  /** @param asks_only leaves allow rules out */
  decides(call: RuleCall, asks_only: boolean): SetRule | null {
    for (let rank = 0; rank < 4; rank += asks_only ? 2 : 1) {
      const group = this.#ranked[rank];
      const found = group ? group.find(call) : null;
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

function firstOf(entries: readonly Entry[], call: RuleCall): SetRule | null {
  for (const { rule, conditions } of entries) {
    if (rule.op !== undefined && rule.op !== call.operation) continue;
    if (conditionsMatch(conditions, call.args) && !isSuspended(rule, call)) return rule;
  }
  return null;
}

/**
 * An allow that a person gave for another text of the command, or another version of the pack, does not count
 * (SPEC P7, C4).
 */
function isSuspended(rule: SetRule, call: RuleCall): boolean {
  if (rule.decision !== 'allow') return false;
  if (rule.pack_digest !== undefined && rule.pack_digest !== call.pack_digest) return true;
  return rule.text !== undefined && rule.text !== call.text?.();
}

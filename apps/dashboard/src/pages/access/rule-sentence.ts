import { escapeInvisible, type Rule, parseMatch } from '@hcp/core';
import { conditionsOf } from '../approvals/rule-words.js';

const DOES = { allow: 'runs without asking', ask: 'asks a person first', deny: 'runs' } as const;
const OPERATION: Readonly<Record<string, string>> = { read: 'reads', write: 'writes', connect: 'connects' };

type Conditional = Pick<Rule, 'when'> & { readonly op?: string | undefined };

/** When a rule counts, such as `where it writes and amount is at most 5`; empty where it always does. */
export function ruleConditions(rule: Conditional): string {
  const where = [...(rule.op === undefined ? [] : [`it ${OPERATION[rule.op] ?? rule.op}`]), ...conditionsOf(rule)];
  return where.length === 0 ? '' : escapeInvisible(`where ${where.join(' and ')}`);
}

/** A rule as one sentence, such as `ledger.transfer runs without asking, where amount is at most 5`. */
export function ruleSentence(rule: Pick<Rule, 'match' | 'decision'> & Conditional): string {
  const where = ruleConditions(rule);
  return `${escapeInvisible(what(rule))} ${DOES[rule.decision]}${where === '' ? '' : `, ${where}`}`;
}

function what({ match, decision }: Pick<Rule, 'match' | 'decision'>): string {
  const parsed = parseMatch(match);
  const every = decision === 'deny' ? 'No command' : 'Every command';
  if (parsed?.kind === 'all') return every;
  if (parsed?.kind === 'pack') return `${every} of ${parsed.pack_id}`;
  return decision === 'deny' ? `${match} never` : match;
}

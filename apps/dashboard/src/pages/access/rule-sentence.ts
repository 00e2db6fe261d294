import { escapeInvisible, type Rule, parseMatch } from '@hcp/core';
import { conditionsOf } from '../approvals/rule-words.js';

const DOES = { allow: 'runs without asking', ask: 'asks a person first', deny: 'never runs' } as const;
const OPERATION: Readonly<Record<string, string>> = { read: 'reads', write: 'writes', connect: 'connects' };

/** A rule as one sentence, such as `ledger.transfer runs without asking, where amount is at most 5`. */
export function ruleSentence(
  rule: Pick<Rule, 'match' | 'decision' | 'when'> & { readonly op?: string | undefined },
): string {
  const conditions = conditionsOf(rule);
  const where = [...(rule.op === undefined ? [] : [`it ${OPERATION[rule.op] ?? rule.op}`]), ...conditions];
  const said = where.length === 0 ? '' : `, where ${where.join(' and ')}`;
  return escapeInvisible(`${what(rule.match)} ${DOES[rule.decision]}${said}`);
}

function what(match: string): string {
  const parsed = parseMatch(match);
  if (parsed?.kind === 'all') return 'Every command';
  return parsed?.kind === 'pack' ? `Every command of ${parsed.pack_id}` : match;
}

import type { AccessRuleRecord } from '@hcp/contracts';

/** `allow ledger.transfer when payee=demo-transit amount<=5`. */
export function summary(rule: Pick<AccessRuleRecord, 'match' | 'decision' | 'when' | 'op'>): string {
  const conditions = conditionsOf(rule);
  return `${rule.decision} ${rule.match}${conditions === '' ? '' : ` when ${conditions}`}`;
}

/** Everything that has to hold besides the name. */
export function conditionsOf({ when, op }: Pick<AccessRuleRecord, 'when' | 'op'>): string {
  const part = (values: Record<string, string | number> | undefined, sign: string): string[] =>
    Object.entries(values ?? {}).map(([name, value]) => `${name}${sign}${value}`);
  return [
    ...(op === undefined ? [] : [`op=${op}`]),
    ...part(when?.args, '='),
    ...part(when?.max, '<='),
    ...part(when?.min, '>='),
  ].join(' ');
}

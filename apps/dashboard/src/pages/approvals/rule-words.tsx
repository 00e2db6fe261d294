import { Text } from '@mantine/core';
import { escapeInvisible, type Rule } from '@hcp/core';

/** When a rule counts, each condition in words. */
export function conditionsOf({ when }: Pick<Rule, 'when'>): string[] {
  return [
    ...Object.entries(when?.args ?? {}).map(([name, value]) => `${name} is ${value}`),
    ...Object.entries(when?.max ?? {}).map(([name, value]) => `${name} is at most ${String(value)}`),
    ...Object.entries(when?.min ?? {}).map(([name, value]) => `${name} is at least ${String(value)}`),
  ];
}

/** What a yes for the session stands for. */
export function RuleWords({ rule }: { rule: Rule }) {
  const { match } = rule;
  const conditions = conditionsOf(rule);
  return (
    <Text size="xs" c="dimmed">
      Until the session of whoever asked ends, {escapeInvisible(match)} then runs without asking
      {conditions.length > 0 ? `, where ${escapeInvisible(conditions.join(' and '))}` : ', with any arguments'}.
    </Text>
  );
}

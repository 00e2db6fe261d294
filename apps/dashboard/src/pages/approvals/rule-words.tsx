import { Text } from '@mantine/core';
import { escapeInvisible, type Rule } from '@hcp/core';

/** What a yes for the session stands for. */
export function RuleWords({ rule }: { rule: Rule }) {
  const { match, when } = rule;
  const conditions = [
    ...Object.entries(when?.args ?? {}).map(([name, value]) => `${name} is ${value}`),
    ...Object.entries(when?.max ?? {}).map(([name, value]) => `${name} is at most ${String(value)}`),
    ...Object.entries(when?.min ?? {}).map(([name, value]) => `${name} is at least ${String(value)}`),
  ];
  return (
    <Text size="xs" c="dimmed">
      Until the session of whoever asked ends, {escapeInvisible(match)} then runs without asking
      {conditions.length > 0 ? `, where ${escapeInvisible(conditions.join(' and '))}` : ', with any arguments'}.
    </Text>
  );
}

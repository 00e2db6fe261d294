import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AccessRuleRecord } from '@hcp/contracts';
import { escapeInvisible, type RuleDecision } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { may, useMe } from '../../app/session.js';
import { Ask } from '../../parts/ask.js';
import { Loaded } from '../../parts/loading.js';
import { conditionsOf } from '../approvals/rule-words.js';
import { AddRule } from './add-rule.js';
import { accessChanged, RULES } from './queries.js';

export const DECISION: Record<RuleDecision, { color: string; label: string }> = {
  allow: { color: 'green', label: 'runs' },
  ask: { color: 'yellow', label: 'asks first' },
  deny: { color: 'red', label: 'never runs' },
};

export function Rules() {
  const me = useMe();
  const query = useQuery(RULES);
  return (
    <Paper withBorder p="lg" component="section" aria-label="Rules">
      <Stack gap="sm">
        <Title order={2} size="h5">
          Rules
        </Title>
        <Loaded query={query}>
          {(rules) =>
            rules.length === 0 ? (
              <Text c="dimmed">There are no rules: the mode decides. Write one for what should differ.</Text>
            ) : (
              <ul className="hcp-list" aria-label="Rules">
                {rules.map((rule) => (
                  <li key={rule.id} className="hcp-row">
                    <Rule rule={rule} removable={may(me, 'access.manage') || rule.created_by === me.principal.id} />
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
        {may(me, 'access.manage') && <AddRule />}
      </Stack>
    </Paper>
  );
}

function Rule({ rule, removable }: { rule: AccessRuleRecord; removable: boolean }) {
  const [asking, setAsking] = useState(false);
  const { color, label } = DECISION[rule.decision];
  const conditions = conditionsOf(rule);
  const remove = async (): Promise<void> => {
    await api.access.deleteRule(rule.id);
    await accessChanged();
  };
  return (
    <Group justify="space-between" gap="sm">
      <div>
        <Group gap="xs">
          <Text ff="monospace" className="hcp-value">
            {escapeInvisible(rule.match)}
          </Text>
          <Badge variant="light" color={color}>
            {label}
          </Badge>
        </Group>
        <Text size="sm" c="dimmed" className="hcp-value">
          {rule.scope}
          {conditions.length > 0 && ` · where ${escapeInvisible(conditions.join(' and '))}`}
          {rule.note !== undefined && ` · ${escapeInvisible(rule.note)}`}
        </Text>
        {rule.suspended !== null && <Text size="sm">Does not count now: {rule.suspended}</Text>}
      </div>
      {removable && (
        <Button
          size="xs"
          variant="default"
          onClick={() => setAsking(true)}
          aria-label={`Delete the rule ${rule.match}`}
        >
          Delete
        </Button>
      )}
      <Ask
        opened={asking}
        onClose={() => setAsking(false)}
        title="Delete this rule?"
        yes="Delete the rule"
        danger
        act={remove}
      >
        From the next call on, {escapeInvisible(rule.match)} is decided by the other rules and by the mode.
      </Ask>
    </Group>
  );
}

import { Badge, Button, Group, Text } from '@mantine/core';
import type { AccessRuleRecord } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { sentence } from '../../app/errors.js';
import { moment } from '../../app/format.js';
import { Ask } from '../../parts/ask.js';
import classes from './access.module.css';
import { DECISION } from './decision.js';
import { accessChanged } from './queries.js';
import { ruleConditions } from './rule-sentence.js';

interface RuleRowProps {
  readonly rule: AccessRuleRecord;
  readonly author: string;
  /** The name of its project. */
  readonly where: string | null;
  readonly removable: boolean;
}

const COUNTS: Record<AccessRuleRecord['scope'], string> = {
  tenant: 'for everybody',
  project: 'in the project',
  member: 'for your own calls',
  session: 'until this session ends',
};

/** The id of a rule's row, for links to it. */
export const ruleAnchor = (id: string): string => `rule-${id}`;

export function RuleRow({ rule, author, where, removable }: RuleRowProps) {
  const [asking, setAsking] = useState(false);
  const { color, label } = DECISION[rule.decision];
  const match = escapeInvisible(rule.match);
  const remove = async (): Promise<void> => {
    await api.access.deleteRule(rule.id);
    await accessChanged();
  };
  return (
    <li id={ruleAnchor(rule.id)} tabIndex={-1} className={classes['rule']}>
      <Group justify="space-between" gap="sm" wrap="nowrap" align="flex-start">
        <div>
          <Group gap="xs">
            <Text ff="monospace" className="hcp-value">
              {match}
            </Text>
            <Badge variant="light" color={color}>
              {label}
            </Badge>
            {rule.suspended !== null && (
              <Badge variant="outline" color="gray">
                does not count now
              </Badge>
            )}
          </Group>
          <Text size="sm" className="hcp-value">
            {sentence(
              [where === null ? COUNTS[rule.scope] : `in ${escapeInvisible(where)}`, ruleConditions(rule)]
                .filter((part) => part !== '')
                .join(', '),
            )}
          </Text>
          {rule.suspended !== null && (
            <Text size="sm" className="hcp-value">
              Suspended: {escapeInvisible(rule.suspended)}
            </Text>
          )}
          <Text size="xs" c="dimmed" className="hcp-value">
            {rule.note !== undefined && `${escapeInvisible(rule.note)} · `}
            {author} · {moment(rule.created_at)}
          </Text>
        </div>
        {removable && (
          <Button
            size="xs"
            variant="default"
            className="hcp-fixed"
            onClick={() => setAsking(true)}
            aria-label={`Delete the rule ${match}`}
          >
            Delete
          </Button>
        )}
      </Group>
      <Ask
        opened={asking}
        onClose={() => setAsking(false)}
        title="Delete this rule?"
        yes="Delete the rule"
        danger
        act={remove}
      >
        From the next call on, {match} is decided by the other rules and by the mode.
      </Ask>
    </li>
  );
}

import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Access } from '@hcp/contracts';
import { useState } from 'react';
import { useNames } from '../../app/names.js';
import { PROJECTS } from '../../app/projects.js';
import { may, useMe } from '../../app/session.js';
import { Listed } from '../../parts/listed.js';
import { AddRule } from './add-rule.js';
import { rulesIn } from './queries.js';
import { RuleRow } from './rule-row.js';

interface RulesProps {
  readonly access: Access;
  readonly project: string | null;
}

/** What people decided beforehand. */
export function Rules({ access, project }: RulesProps) {
  const me = useMe();
  const name = useNames();
  const query = useInfiniteQuery(rulesIn(project));
  const projects = useQuery(PROJECTS);
  const manages = may(me, 'access.manage');
  const own = access.effective.member_access.value;
  const [adding, setAdding] = useState(false);
  const nameOf = (id: string): string => projects.data?.find((each) => each.id === id)?.name ?? 'a project';
  return (
    <Paper withBorder p="lg" component="section" aria-label="Rules" id="rules">
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <div>
            <Title order={2} size="h5">
              Rules
            </Title>
            <Text size="sm" c="dimmed" maw={620}>
              Their order does not matter. Never wins; else the most exact: a command before a pack before everything,
              with conditions before without; of two alike, asking.
            </Text>
          </div>
          {(manages || own) && !adding && <Button onClick={() => setAdding(true)}>Write a rule</Button>}
        </Group>
        {adding && (
          <AddRule manages={manages} own={own} project={project} nameOf={nameOf} onClose={() => setAdding(false)} />
        )}
        <Listed
          query={query}
          empty={<Text c="dimmed">There are no rules: the mode decides. Write one for what should differ.</Text>}
        >
          {(rules) => (
            <ul className="hcp-list" aria-label="Rules">
              {rules.map((rule) => (
                <RuleRow
                  key={rule.id}
                  rule={rule}
                  author={name(rule.created_by)}
                  where={rule.project_id === null ? null : nameOf(rule.project_id)}
                  removable={manages || rule.scope === 'member' || rule.scope === 'session'}
                />
              ))}
            </ul>
          )}
        </Listed>
      </Stack>
    </Paper>
  );
}

import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { GrantRecord, Member } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { Ask } from '../../parts/ask.js';
import { Loaded } from '../../parts/loading.js';
import { Section } from '../../parts/section.js';
import { AddGrant } from './add-grant.js';
import { grantsOf, peopleChanged, useProjectNames } from './queries.js';
import { isOver, meaning, Meaning, reach } from './rights.js';

/** Rights that were given to this principal alone, besides its roles. */
export function OwnGrants({ one }: { one: Member }) {
  const query = useQuery(grantsOf(one.id));
  const [adding, setAdding] = useState(false);
  const [added, setAdded] = useState(false);
  return (
    <Section
      title="Grants"
      about="Single rights, besides the roles, each as narrow as it should be."
      actions={
        !adding && (
          <Button variant="default" size="xs" onClick={() => setAdding(true)}>
            Add a grant
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {(grants) =>
          grants.length === 0 ? <Text c="dimmed">There is none.</Text> : <GrantList grants={grants} whose={one.name} />
        }
      </Loaded>
      {added && !adding && (
        <Text size="sm" role="status">
          The grant was added.
        </Text>
      )}
      {adding && (
        <Paper withBorder p="md">
          <AddGrant
            principal_id={one.id}
            onClose={() => setAdding(false)}
            onAdded={() => {
              setAdding(false);
              setAdded(true);
            }}
          />
        </Paper>
      )}
    </Section>
  );
}

function GrantList({ grants, whose }: { grants: readonly GrantRecord[]; whose: string }) {
  const projectName = useProjectNames();
  return (
    <ul className="hcp-list" aria-label="Grants">
      {grants.map((grant) => (
        <li key={grant.id} className="hcp-row">
          <Group justify="space-between" gap="sm" wrap="nowrap">
            <Stack gap={0} className="hcp-value" miw={0}>
              <Text>{Meaning(grant.capability)}</Text>
              <Text size="sm" c="dimmed">
                {reach(grant, projectName)}
                {isOver(grant) && ' · over'}
              </Text>
            </Stack>
            <TakeAway grant={grant} whose={whose} />
          </Group>
        </li>
      ))}
    </ul>
  );
}

export function TakeAway({ grant, whose }: { grant: GrantRecord; whose: string }) {
  const [asking, setAsking] = useState(false);
  const projectName = useProjectNames();
  const act = async (): Promise<void> => {
    await api.grants.delete(grant.id);
    await peopleChanged();
  };
  return (
    <>
      <Button
        size="xs"
        variant="default"
        className="hcp-fixed"
        aria-label={`Take away ${grant.capability} ${reach(grant, projectName)}`}
        onClick={() => setAsking(true)}
      >
        Take away
      </Button>
      <Ask
        opened={asking}
        onClose={() => setAsking(false)}
        title="Take this grant away?"
        yes="Take it away"
        danger
        act={act}
      >
        From the next call on, {escapeInvisible(whose)} may no longer {meaning(grant.capability)} (
        {reach(grant, projectName)}
        ), unless a role gives the same.
      </Ask>
    </>
  );
}

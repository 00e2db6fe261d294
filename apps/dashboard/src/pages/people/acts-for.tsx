import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Agent, Member } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { useNames } from '../../app/names.js';
import { useMe } from '../../app/session.js';
import { Ask } from '../../parts/ask.js';
import { TextLink } from '../../parts/link.js';
import { Loaded } from '../../parts/loading.js';
import { Section } from '../../parts/section.js';
import { agentsOf, peopleChanged } from './queries.js';

/** Whom an agent or a service acts for; only that person begins and ends it. */
export function ActsFor({ one }: { one: Member }) {
  const me = useMe();
  const nameOf = useNames();
  const [asking, setAsking] = useState(false);
  const begin = async (): Promise<void> => {
    await api.agents.actForMe(one.id);
    await peopleChanged();
  };
  const { acts_for } = one;
  return (
    <Section title="Acts for" about="What acts for a person can do only what both may, and asks that person.">
      {acts_for === null && (
        <Group gap="sm">
          <Text>Nobody: its own rights alone count.</Text>
          <Button size="xs" variant="default" onClick={() => setAsking(true)}>
            Let it act for me
          </Button>
        </Group>
      )}
      {acts_for === me.principal.id && (
        <Group gap="sm">
          <Text>You.</Text>
          <EndActsFor agent={one} />
        </Group>
      )}
      {acts_for !== null && acts_for !== me.principal.id && (
        <Text className="hcp-value">{nameOf(acts_for, 'human')}, who alone can end it.</Text>
      )}
      <Ask
        opened={asking}
        onClose={() => setAsking(false)}
        title={`Let ${escapeInvisible(one.name)} act for you?`}
        yes="Let it act for me"
        no="Leave it"
        act={begin}
      >
        From then on it can do only what both you and it may, and what it asks comes to you. Only you can end that.
      </Ask>
    </Section>
  );
}

/** Ends that it acts for the calling person. */
export function EndActsFor({ agent }: { agent: Pick<Agent, 'id' | 'name'> }) {
  const [asking, setAsking] = useState(false);
  const end = async (): Promise<void> => {
    await api.agents.endActsFor(agent.id);
    await peopleChanged();
  };
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={`End that ${escapeInvisible(agent.name)} acts for you`}
        onClick={() => setAsking(true)}
      >
        End that
      </Button>
      <Ask
        opened={asking}
        onClose={() => setAsking(false)}
        title={`End that ${escapeInvisible(agent.name)} acts for you?`}
        yes="End it"
        danger
        act={end}
      >
        From the next call on its own rights alone count: it is not held to yours any more, its runs are not in your
        list, and what it asks does not come to you. Disable it where it should stop.
      </Ask>
    </>
  );
}

export function AgentsOf({ one }: { one: Member }) {
  const me = useMe();
  const self = one.id === me.principal.id;
  const query = useQuery(agentsOf(one.id));
  return (
    <Section title={`Agents that act for ${self ? 'you' : 'them'}`} about="Each can do only what both may.">
      <Loaded query={query}>
        {(agents) =>
          agents.length === 0 ? (
            <Text c="dimmed">There is none.</Text>
          ) : (
            <ul className="hcp-list" aria-label="Agents that act for them">
              {agents.map((agent) => (
                <li key={agent.id} className="hcp-row">
                  <Group justify="space-between" gap="sm">
                    <TextLink to="/people/$id" params={{ id: agent.id }} className="hcp-value">
                      {escapeInvisible(agent.name)}
                    </TextLink>
                    {self && <EndActsFor agent={agent} />}
                  </Group>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

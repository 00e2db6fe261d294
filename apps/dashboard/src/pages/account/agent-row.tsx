import { Group, Text } from '@mantine/core';
import type { Agent } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { may, useMe } from '../../app/session.js';
import { TextLink } from '../../parts/link.js';
import { EndActsFor } from '../people/acts-for.js';

export function AgentRow({ agent }: { agent: Agent }) {
  const me = useMe();
  const name = escapeInvisible(agent.name);
  return (
    <Group justify="space-between" gap="sm">
      <div className="hcp-value">
        {may(me, 'access.manage') ? (
          <TextLink to="/people/$id" params={{ id: agent.id }}>
            {name}
          </TextLink>
        ) : (
          name
        )}
        <Text size="sm" c="dimmed">
          {agent.kind}
          {agent.disabled && ', disabled'}
          {!agent.disabled &&
            (agent.keys === 0 ? ', without a key' : `, ${String(agent.keys)} ${agent.keys === 1 ? 'key' : 'keys'}`)}
        </Text>
      </div>
      <EndActsFor agent={agent} />
    </Group>
  );
}

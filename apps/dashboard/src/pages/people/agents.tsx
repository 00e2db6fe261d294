import { Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Agent } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useNames } from '../../app/names.js';
import { Empty } from '../../parts/empty.js';
import { ButtonLink, TextLink } from '../../parts/link.js';
import { Paged } from '../../parts/paged.js';
import { PeopleFrame } from './frame.js';
import { agentPages } from './queries.js';
import { Search, useSearch } from './search.js';
import { StateBadge } from './state-badge.js';

export function Agents() {
  return (
    <PeopleFrame
      title="Agents and services"
      about="AI agents and product backends: each has rights and keys of its own."
      actions={<ButtonLink to="/people/agents/new">New agent or service</ButtonLink>}
    >
      <List />
    </PeopleFrame>
  );
}

function List() {
  const search = useSearch();
  const list = useInfiniteQuery(agentPages(search.wanted));
  const empty =
    search.wanted === '' ? (
      <Empty
        title="There is no agent yet"
        action={<ButtonLink to="/people/agents/new">Create the first one</ButtonLink>}
      >
        Give an agent a name, say what it may do, and take its key along: it can run commands at once.
      </Empty>
    ) : (
      <Empty title="None matches">Search for another part of the name.</Empty>
    );
  return (
    <>
      <Search label="Search in names" text={search.text} onChange={search.onChange} />
      <Paged list={list} empty={empty}>
        {(agents) => <Rows agents={agents} />}
      </Paged>
    </>
  );
}

function Rows({ agents }: { agents: readonly Agent[] }) {
  const nameOf = useNames();
  return (
    <Table aria-label="Agents and services" highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>Acts for</Table.Th>
          <Table.Th className="hcp-wide">Keys</Table.Th>
          <Table.Th>State</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {agents.map(({ id, kind, name, acts_for, keys, disabled }) => (
          <Table.Tr key={id}>
            <Table.Td className="hcp-value">
              <TextLink to="/people/$id" params={{ id }} preload={false}>
                {escapeInvisible(name)}
              </TextLink>
              <Text size="sm" c="dimmed">
                {kind}
              </Text>
            </Table.Td>
            <Table.Td className="hcp-value">{acts_for === null ? 'itself alone' : nameOf(acts_for, 'human')}</Table.Td>
            <Table.Td className="hcp-wide">{keys === 0 ? 'none' : keys}</Table.Td>
            <Table.Td>
              <StateBadge disabled={disabled} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

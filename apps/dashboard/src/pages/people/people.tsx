import { Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Member } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { Empty } from '../../parts/empty.js';
import { ButtonLink, TextLink } from '../../parts/link.js';
import { Paged } from '../../parts/paged.js';
import { PeopleFrame } from './frame.js';
import { peoplePages, useProjectNames } from './queries.js';
import { Search, useSearch } from './search.js';
import { StateBadge } from './state-badge.js';

export function People() {
  return (
    <PeopleFrame
      title="People"
      about="Who belongs to this tenant, and what role they have."
      actions={<ButtonLink to="/people/invitations">Invite somebody</ButtonLink>}
    >
      <List />
    </PeopleFrame>
  );
}

function List() {
  const search = useSearch();
  const list = useInfiniteQuery(peoplePages(search.wanted));
  return (
    <>
      <Search label="Search in names and emails" text={search.text} onChange={search.onChange} />
      <Paged
        list={list}
        empty={<Empty title="Nobody matches">Search for another part of the name or the email.</Empty>}
      >
        {(people) => <Rows people={people} />}
      </Paged>
    </>
  );
}

function Rows({ people }: { people: readonly Member[] }) {
  const projectName = useProjectNames();
  return (
    <Table aria-label="People" highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>Roles</Table.Th>
          <Table.Th>State</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {people.map(({ id, name, email, roles, disabled }) => (
          <Table.Tr key={id}>
            <Table.Td className="hcp-value">
              <TextLink to="/people/$id" params={{ id }} preload={false}>
                {escapeInvisible(name)}
              </TextLink>
              {email !== undefined && (
                <Text size="sm" c="dimmed">
                  {escapeInvisible(email)}
                </Text>
              )}
            </Table.Td>
            <Table.Td className="hcp-value">
              {roles.length === 0 && <Text c="dimmed">none</Text>}
              {roles.map((each) => (
                <div key={each.id}>
                  {each.role}
                  {each.project_id !== null && (
                    <Text span size="sm" c="dimmed">
                      {' '}
                      in {projectName(each.project_id)}
                    </Text>
                  )}
                </div>
              ))}
            </Table.Td>
            <Table.Td>
              <StateBadge disabled={disabled} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

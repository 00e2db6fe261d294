import { Badge, Button, Group, Table, Text, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Session } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { moment, shortId } from '../../app/format.js';
import { pagesOf } from '../../app/pages.js';
import { forgetSession, queryClient } from '../../app/queries.js';
import { Ask } from '../../parts/ask.js';
import { Paged } from '../../parts/paged.js';
import { Section } from '../../parts/section.js';

const SESSIONS = pagesOf(['sessions'], (query) => api.sessions.list(query));

/** Where one is signed in, and what was let in for one; each can be ended. */
export function Sessions() {
  const list = useInfiniteQuery(SESSIONS);
  return (
    <Section
      title="Sessions"
      about="Where you are signed in, and which clients you let act for you. End what you do not know."
    >
      <Paged list={list} empty={<Text c="dimmed">There is none.</Text>}>
        {(sessions) => <Rows sessions={sessions} />}
      </Paged>
    </Section>
  );
}

const whatIs = ({ client, kind, interactive }: Session): string => {
  if (client !== null) return `${escapeInvisible(client.name)} (so it calls itself)`;
  if (kind === 'explicit') return 'A narrower session';
  return interactive ? 'Signed in with the password' : 'A sign-in of another identity provider';
};

function Rows({ sessions }: { sessions: readonly Session[] }) {
  const [asked, setAsked] = useState<Session | null>(null);
  const end = async (): Promise<void> => {
    if (asked === null) return;
    if (asked.current) {
      await api.auth.browser.signOut();
      forgetSession();
      return;
    }
    await api.sessions.delete(asked.id);
    await queryClient.invalidateQueries({ queryKey: SESSIONS.queryKey });
  };
  return (
    <>
      <Table aria-label="Sessions">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th className="hcp-wide">Began</Table.Th>
            <Table.Th className="hcp-wide">Ends by itself</Table.Th>
            <Table.Th>
              <VisuallyHidden>Act</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sessions.map((session) => (
            <Table.Tr key={session.id}>
              <Table.Td className="hcp-value">
                <Group gap="xs">
                  {whatIs(session)}
                  {session.current && (
                    <Badge variant="light" color="green">
                      this one
                    </Badge>
                  )}
                </Group>
                <Text size="sm" c="dimmed">
                  …{shortId(session.id)}
                  {session.packs !== null && ` · only ${session.packs.join(', ')}`}
                  {session.project_id !== null && ' · only one project'}
                </Text>
              </Table.Td>
              <Table.Td className="hcp-wide">{moment(session.created_at)}</Table.Td>
              <Table.Td className="hcp-wide">{moment(session.expires_at)}</Table.Td>
              <Table.Td>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={session.current ? 'End this session' : `End the session …${shortId(session.id)}`}
                  onClick={() => setAsked(session)}
                >
                  End
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Ask
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title={asked?.current === true ? 'End this very session?' : 'End this session?'}
        yes="End the session"
        danger
        act={end}
      >
        {asked?.current === true
          ? 'You are signed out here, and sessions that were opened from this one end too.'
          : 'Whoever uses it is refused from the next call on, and sessions that were opened from it end too.'}
      </Ask>
    </>
  );
}

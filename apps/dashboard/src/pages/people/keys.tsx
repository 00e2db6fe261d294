import { Badge, Button, Table, Text, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ApiKey } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { moment } from '../../app/format.js';
import { Ask } from '../../parts/ask.js';
import { Paged } from '../../parts/paged.js';
import { Section } from '../../parts/section.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { CreateKey } from './create-key.js';
import { keyPages, peopleChanged, useProjectNames } from './queries.js';
import { meaning, reach } from './rights.js';

export interface KeysProps {
  readonly principal_id: string;
  /** Whose they are, as one says it: `your`, `its`. */
  readonly whose: string;
  /** Whether the caller may make one: for oneself, or for an agent or a service. */
  readonly creates: boolean;
}

/** API keys of one principal: those that are good, and those that were. */
export function Keys({ principal_id, whose, creates }: KeysProps) {
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const list = useInfiniteQuery(keyPages(principal_id));
  return (
    <Section
      title="API keys"
      about={`Each reaches what ${whose} rights reach, or less.`}
      actions={
        creates &&
        !creating &&
        secret === null && (
          <Button variant="default" size="xs" onClick={() => setCreating(true)}>
            New key
          </Button>
        )
      }
    >
      {secret !== null && (
        <ShownOnce
          title="The new key"
          secret={secret}
          next="Put it where the program that uses it finds it. Once it is lost, make another one and revoke this."
          onDone={() => setSecret(null)}
        />
      )}
      {creating && (
        <CreateKey
          principal_id={principal_id}
          onClose={() => setCreating(false)}
          onMade={(key) => {
            setSecret(key);
            setCreating(false);
          }}
        />
      )}
      <Paged list={list} empty={<Text c="dimmed">{creates ? 'There is none yet.' : 'There is none.'}</Text>}>
        {(keys) => <Rows keys={keys} />}
      </Paged>
    </Section>
  );
}

const stateOf = ({ revoked_at, expires_at }: ApiKey): 'good' | 'revoked' | 'over' =>
  revoked_at !== null ? 'revoked' : expires_at !== null && Date.parse(expires_at) <= Date.now() ? 'over' : 'good';

function Rows({ keys }: { keys: readonly ApiKey[] }) {
  const [asked, setAsked] = useState<ApiKey | null>(null);
  const projectName = useProjectNames();
  const revoke = async (): Promise<void> => {
    if (asked === null) return;
    await api.apiKeys.delete(asked.id);
    await peopleChanged();
  };
  return (
    <>
      <Table aria-label="API keys">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th className="hcp-wide">Reaches</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>
              <VisuallyHidden>Act</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => {
            const state = stateOf(key);
            return (
              <Table.Tr key={key.id}>
                <Table.Td className="hcp-value">
                  {escapeInvisible(key.name)}
                  <Text size="sm" c="dimmed">
                    made {moment(key.created_at)} ·{' '}
                    {key.expires_at === null ? 'never ends' : `ends ${moment(key.expires_at)}`}
                  </Text>
                </Table.Td>
                <Table.Td className="hcp-wide hcp-value">
                  {key.grants === null
                    ? 'all its owner may'
                    : key.grants.map((grant) => (
                        <div key={JSON.stringify(grant)}>
                          {meaning(grant.capability)}, {reach(grant, projectName)}
                        </div>
                      ))}
                  {key.project_id !== null && (
                    <Text size="sm" c="dimmed">
                      only in {projectName(key.project_id)}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  <Badge variant="light" color={state === 'good' ? 'green' : 'gray'}>
                    {state}
                  </Badge>
                </Table.Td>
                <Table.Td>
                  {state === 'good' && (
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={`Revoke the key ${escapeInvisible(key.name)}`}
                      onClick={() => setAsked(key)}
                    >
                      Revoke
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
      <Ask
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title="Revoke this key?"
        yes="Revoke the key"
        danger
        act={revoke}
      >
        Whatever uses {asked === null ? 'it' : escapeInvisible(asked.name)} is refused from the next call on, and the
        sessions that were opened with it end. It cannot be taken back.
      </Ask>
    </>
  );
}

import { Badge, Button, Code, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { RootKeysAnswer, RotatedSigningKey } from '@hcp/contracts';
import { useState } from 'react';
import { api } from '../../../app/api.js';
import { exactMoment, number } from '../../../app/format.js';
import { Ask } from '../../../parts/ask.js';
import { Loaded } from '../../../parts/loading.js';
import { Page } from '../../../parts/page.js';
import { Said } from '../../../parts/said.js';
import { only } from '../only.js';
import { ROOT_KEYS } from './queries.js';
import { Rewrap } from './rewrap.js';

/** Which keys protect what is stored, and what tokens are signed with (SPEC B3). */
export const Keys = only('platform.manage', 'Keys', function Keys() {
  const query = useQuery(ROOT_KEYS);
  return (
    <Page title="Keys" about="What protects everything that is stored, and what tokens are signed with.">
      <Loaded query={query}>
        {({ items }) => (
          <Paper withBorder p="lg" component="section" aria-label="Root keys">
            <Stack gap="md">
              <div>
                <Title order={2} size="h5">
                  Root keys
                </Title>
                <Text size="sm" c="dimmed">
                  A root key wraps the keys of every tenant. Which ones there are is set where the product is started;
                  here you see what they wrap, and move everything to the one that wraps now.
                </Text>
              </div>
              <RootKeyTable items={items} />
              <Rewrap items={items} />
            </Stack>
          </Paper>
        )}
      </Loaded>
      <SigningKey />
    </Page>
  );
});

function RootKeyTable({ items }: RootKeysAnswer) {
  return (
    <Table aria-label="Root keys">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Root key</Table.Th>
          <Table.Th>Data keys</Table.Th>
          <Table.Th>Signing keys</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items.map(({ root_key_id, primary, opens, data_keys, signing_keys }) => (
          <Table.Tr key={root_key_id}>
            <Table.Td>
              <Group gap="xs">
                <Code className="hcp-value">{root_key_id}</Code>
                {primary && (
                  <Badge variant="light" color="green">
                    wraps now
                  </Badge>
                )}
                {!opens && (
                  <Badge variant="light" color="red">
                    cannot be opened here
                  </Badge>
                )}
              </Group>
            </Table.Td>
            <Table.Td>{number(data_keys)}</Table.Td>
            <Table.Td>{number(signing_keys)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function SigningKey() {
  const [asking, setAsking] = useState(false);
  const [made, setMade] = useState<RotatedSigningKey | null>(null);
  return (
    <Paper withBorder p="lg" component="section" aria-label="Signing key">
      <Stack gap="sm" align="flex-start">
        <div>
          <Title order={2} size="h5">
            Signing key of tokens
          </Title>
          <Text size="sm" c="dimmed">
            Access tokens are signed with it. A new one is published first, and signs once every replica knows it;
            tokens of the one before stay good until they end.
          </Text>
        </div>
        <Said>
          {made === null ? null : `Key ${made.kid} is published, and signs from ${exactMoment(made.signs_from)} on.`}
        </Said>
        <Button variant="default" onClick={() => setAsking(true)}>
          Make a new signing key
        </Button>
      </Stack>
      <Ask
        opened={asking}
        onClose={() => setAsking(false)}
        title="Make a new signing key?"
        yes="Make a new key"
        act={async () => setMade(await api.rootKeys.rotateSigningKey())}
      >
        It is for every tenant of the installation. Nobody is signed out by it.
      </Ask>
    </Paper>
  );
}

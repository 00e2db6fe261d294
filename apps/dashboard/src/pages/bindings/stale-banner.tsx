import { Alert, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Binding } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useProjectName } from '../../app/projects.js';
import { TextLink } from '../../parts/link.js';
import { Mend, type Mending, useMending } from './mend.js';
import { STALE } from './queries.js';
import { whose, whyNot } from './words.js';

/** What has to be connected again, each with the one click that begins it. */
export function StaleBanner() {
  const query = useQuery(STALE);
  const mending = useMending();
  const stale = query.data?.items ?? [];
  return (
    <>
      {mending.shown}
      {stale.length > 0 && (
        <Alert
          color="red"
          variant="light"
          role="region"
          title={stale.length === 1 ? 'One binding is stale' : `${String(stale.length)} bindings are stale`}
        >
          <Stack gap="sm">
            <Text size="sm">
              Commands that need {stale.length === 1 ? 'it' : 'them'} are refused until you connect{' '}
              {stale.length === 1 ? 'it' : 'them'} again.
            </Text>
            {stale.map((binding) => (
              <Row key={binding.id} binding={binding} mending={mending} />
            ))}
            {query.data?.next_cursor && <Text size="sm">There are more; they follow when these are mended.</Text>}
          </Stack>
        </Alert>
      )}
    </>
  );
}

function Row({ binding, mending }: { binding: Binding; mending: Mending }) {
  const project = useProjectName();
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm" className="hcp-value">
        <TextLink to="/bindings/$id" params={{ id: binding.id }} fw={600} underline="always">
          {binding.pack_id}
        </TextLink>{' '}
        for {whose(binding).toLowerCase()}
        {binding.project_id !== null && ` in ${project(binding.project_id)}`}
        {binding.account_name !== null && (
          <>
            , <bdi>{escapeInvisible(binding.account_name)}</bdi>
          </>
        )}
        : {whyNot(binding)}
      </Text>
      <Mend binding={binding} mending={mending} size="xs" />
    </Group>
  );
}

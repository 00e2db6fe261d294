import { Badge, Button, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import type { SenseSource } from '@hcp/contracts';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { duration, moment, spaced } from '../../app/format.js';
import { useNames } from '../../app/names.js';
import { useProjectName } from '../../app/projects.js';
import { Ask } from '../../parts/ask.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Loading } from '../../parts/loading.js';
import { More } from '../../parts/more.js';
import { EnableSource } from './enable-source.js';
import { senseChanged, SOURCES } from './queries.js';

/** Packs that are looked at on schedule. */
export function Sources() {
  const list = useInfiniteQuery(SOURCES);
  const sources = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Paper withBorder p="lg" component="section" aria-label="Sources">
      <Stack gap="sm">
        <Title order={2} size="h5">
          Sources
        </Title>
        <Text size="sm" c="dimmed">
          Packs that only look are run on schedule, on the rights of whoever turned them on.
        </Text>
        {list.isError && <ErrorBox error={list.error} retry={() => void list.refetch()} />}
        {list.isPending && <Loading />}
        {sources.length > 0 && <Rows sources={sources} />}
        {list.hasNextPage && <More loading={list.isFetchingNextPage} onReached={() => void list.fetchNextPage()} />}
        {list.data && <EnableSource />}
      </Stack>
    </Paper>
  );
}

function Rows({ sources }: { sources: readonly SenseSource[] }) {
  const name = useNames();
  const project = useProjectName();
  return (
    <Table.ScrollContainer minWidth={300} type="native">
      <Table aria-label="Sources">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Pack</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th className="hcp-wide">Looks</Table.Th>
            <Table.Th className="hcp-wide">On the rights of</Table.Th>
            <Table.Th>
              <span className="hcp-unseen">What to do</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sources.map((source) => (
            <Table.Tr key={source.id}>
              <Table.Td>
                {source.pack_id}
                {source.project_id !== null && (
                  <Text size="xs" c="dimmed" className="hcp-value">
                    in <bdi>{project(source.project_id)}</bdi>
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                <State source={source} />
              </Table.Td>
              <Table.Td className="hcp-wide">every {duration(source.every_s * 1000)}</Table.Td>
              <Table.Td className="hcp-wide">{name(source.enabled_by, 'human')}</Table.Td>
              <Table.Td>
                <Switch source={source} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function State({ source: { enabled, paused_at, paused_reason, next_at } }: { source: SenseSource }) {
  const [color, label, more] = !enabled
    ? (['gray', 'off', ''] as const)
    : paused_at !== null
      ? (['yellow', 'paused', spaced(paused_reason ?? '')] as const)
      : (['green', 'on', next_at === null ? '' : `next ${moment(next_at)}`] as const);
  return (
    <>
      <Badge variant="light" color={color}>
        {label}
      </Badge>
      {more !== '' && (
        <Text size="xs" c="dimmed">
          {more}
        </Text>
      )}
    </>
  );
}

function Switch({ source: { pack_id, project_id, enabled, paused_at } }: { source: SenseSource }) {
  const [asking, setAsking] = useState(false);
  const where = project_id === null ? {} : { project_id };
  const on = useMutation({
    mutationFn: () => api.sense.setSource(pack_id, { enabled: true, ...where }),
    onSuccess: senseChanged,
  });
  const off = async (): Promise<void> => {
    await api.sense.setSource(pack_id, { enabled: false, ...where });
    await senseChanged();
  };
  return (
    <Stack gap="xs" align="flex-end">
      <Group gap="xs" justify="flex-end">
        {(!enabled || paused_at !== null) && (
          <Button size="xs" loading={on.isPending} aria-label={`Turn on ${pack_id}`} onClick={() => on.mutate()}>
            Turn on
          </Button>
        )}
        {enabled && (
          <Button size="xs" variant="default" aria-label={`Turn off ${pack_id}`} onClick={() => setAsking(true)}>
            Turn off
          </Button>
        )}
      </Group>
      {on.isError && <ErrorBox error={on.error} title="Not turned on" />}
      <Ask opened={asking} onClose={() => setAsking(false)} title={`Turn off ${pack_id}?`} yes="Turn off" act={off}>
        Nobody looks any more, and what it saw is taken back from this list.
      </Ask>
    </Stack>
  );
}

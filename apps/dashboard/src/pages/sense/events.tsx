import { Badge, Group, Paper, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { SenseEvent } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { moment, number, spaced } from '../../app/format.js';
import { useProjectName } from '../../app/projects.js';
import { Empty } from '../../parts/empty.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Loading } from '../../parts/loading.js';
import { More } from '../../parts/more.js';
import { About } from './about.js';
import { type SenseFilters, sensePages } from './queries.js';
import { SeverityBadge } from './severity-badge.js';
import { messageOf, todoOf } from './words.js';

/** Events, newest first, each with what to do and a link to what it is about. */
export function Events({ filters }: { filters: SenseFilters }) {
  const list = useInfiniteQuery(sensePages(filters));
  const events = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {list.isError && <ErrorBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && events.length === 0 && !list.hasNextPage && <Nothing filters={filters} />}
      {events.length > 0 && (
        <Paper withBorder>
          <ul className="hcp-list" aria-label="Events">
            {events.map((event) => (
              <li key={event.id} className="hcp-row">
                <Event event={event} />
              </li>
            ))}
          </ul>
        </Paper>
      )}
      {list.hasNextPage && <More loading={list.isFetchingNextPage} onReached={() => void list.fetchNextPage()} />}
    </>
  );
}

function Nothing({ filters: { open, severity } }: { filters: SenseFilters }) {
  if (severity !== undefined) return <Empty title="No event matches">Choose another severity, or any.</Empty>;
  return (
    <Empty title={open === '0' ? 'Nothing was wrong in the last month' : 'Nothing needs anybody'}>
      Stale credentials, packs that cannot start, calls that wait for a yes, and what sources see appear here by
      themselves.
    </Empty>
  );
}

function Event({ event }: { event: SenseEvent }) {
  const project = useProjectName();
  const { severity, kind, pack_id, verb_key, subject, project_id, count, opened_at, last_seen_at, cleared_at } = event;
  const todo = cleared_at === null ? todoOf(event) : null;
  const times = count > 1 ? `seen ${number(count)} times, last ${moment(last_seen_at)}` : moment(opened_at);
  const where = project_id === null ? '' : ` · ${project(project_id)}`;
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <Stack gap={4} miw={0} flex="1 1 20rem">
        <Group gap="xs">
          <SeverityBadge severity={severity} />
          {cleared_at !== null && (
            <Badge variant="light" color="green">
              mended {moment(cleared_at)}
            </Badge>
          )}
          <Text size="sm" c="dimmed" className="hcp-value">
            {spaced(kind)} · {pack_id}
            {verb_key !== null && ` ${verb_key}`}
            {where}
          </Text>
        </Group>
        <Text className="hcp-value">
          {verb_key !== null && (
            <>
              <Text span fw={600}>
                <bdi>{escapeInvisible(subject)}</bdi>
              </Text>
              {': '}
            </>
          )}
          <bdi>{messageOf(event)}</bdi>
        </Text>
        {todo !== null && <Text size="sm">{todo}</Text>}
        <Text size="xs" c="dimmed">
          {times}
        </Text>
      </Stack>
      <About event={event} />
    </Group>
  );
}

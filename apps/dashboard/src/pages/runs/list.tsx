import { Button, Group, Select, Table, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RUN_STATUSES } from '@hcp/core';
import type { RunSummary } from '@hcp/contracts';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { duration, moment, spaced } from '../../app/format.js';
import { useWho } from '../../app/who.js';
import { queryClient } from '../../app/queries.js';
import { Empty } from '../../parts/empty.js';
import { ErrorBox } from '../../parts/error-box.js';
import { ButtonLink, TextLink } from '../../parts/link.js';
import { Loading } from '../../parts/loading.js';
import { LongRows, type RowProps } from '../../parts/long-rows.js';
import { More } from '../../parts/more.js';
import { Page } from '../../parts/page.js';
import { type RunFilters, runPages } from './queries.js';
import { RunBadge } from './status-badge.js';

const route = getRouteApi('/runs');

export function RunList() {
  const { pack_id } = route.useSearch();
  const [filters, setFilters] = useState<RunFilters>({ pack_id });
  const list = useInfiniteQuery(runPages(filters));
  const runs = list.data?.pages.flatMap((page) => page.items) ?? [];
  const filtered = filters.status !== undefined || filters.pack_id !== undefined;
  return (
    <Page title="Runs" about="What was run, newest first; it updates by itself.">
      <Filters filters={filters} onChange={setFilters} />
      <Newer filters={filters} />
      {list.isError && <ErrorBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && runs.length === 0 && <Nothing filtered={filtered} />}
      {runs.length > 0 && <Rows runs={runs} />}
      {list.hasNextPage && <More loading={list.isFetchingNextPage} onReached={() => void list.fetchNextPage()} />}
    </Page>
  );
}

function Filters({ filters, onChange }: { filters: RunFilters; onChange: (filters: RunFilters) => void }) {
  const packs = useQuery({ queryKey: ['packs', 'ids'], queryFn: () => api.packs.list({ limit: 200 }) });
  return (
    <Group gap="sm" align="flex-end">
      <Select
        label="State"
        placeholder="Any"
        clearable
        w={170}
        data={RUN_STATUSES.map((status) => ({ value: status, label: spaced(status) }))}
        value={filters.status ?? null}
        onChange={(value) => onChange({ ...filters, status: value ?? undefined })}
      />
      <Select
        label="Pack"
        placeholder="Any"
        clearable
        searchable
        w={200}
        data={packs.data?.items.map(({ pack_id }) => pack_id) ?? []}
        value={filters.pack_id ?? null}
        onChange={(value) => onChange({ ...filters, pack_id: value ?? undefined })}
      />
    </Group>
  );
}

/** A long list stays where it is; the newer ones come when they are wanted. */
function Newer({ filters }: { filters: RunFilters }) {
  const newer = useQuery({ queryKey: ['newer-runs'], queryFn: () => false, enabled: false, initialData: false });
  if (!newer.data) return null;
  const show = (): void => {
    queryClient.setQueryData(['newer-runs'], false);
    void queryClient.resetQueries({ queryKey: runPages(filters).queryKey });
    window.scrollTo({ top: 0 });
  };
  return (
    <Button variant="light" onClick={show}>
      There are newer runs. Show them
    </Button>
  );
}

function Nothing({ filtered }: { filtered: boolean }) {
  if (filtered) return <Empty title="No run matches">Choose other filters, or clear them.</Empty>;
  return (
    <Empty title="Nothing was run yet" action={<ButtonLink to="/commands">Choose a command</ButtonLink>}>
      Run a first command here, or let an agent call one; each run appears in this list.
    </Empty>
  );
}

/** Two lines, where one acts for another. */
const ROW_PX = 55;

function Rows({ runs }: { runs: readonly RunSummary[] }) {
  return (
    <Table.ScrollContainer minWidth={300} type="native">
      <Table highlightOnHover aria-label="Runs" aria-rowcount={-1}>
        <Table.Thead>
          <Table.Tr aria-rowindex={1}>
            <Table.Th>Command</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th className="hcp-wide">By</Table.Th>
            <Table.Th>When</Table.Th>
            <Table.Th className="hcp-wide">Took</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <LongRows count={runs.length} height={ROW_PX} columns={5}>
            {(index, props) => <Row key={runs[index]?.id ?? index} run={runs[index]} props={props} />}
          </LongRows>
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Row({ run, props }: { run: RunSummary | undefined; props: RowProps }) {
  const who = useWho();
  if (!run) return null;
  return (
    <Table.Tr {...props}>
      <Table.Td>
        <TextLink to="/runs/$id" params={{ id: run.id }} preload={false}>
          {run.pack_id} {run.verb_key}
        </TextLink>
        <Text size="xs" c="dimmed" className="hcp-narrow hcp-value">
          by {who(run.principal_id, run.principal_name, run.principal_kind)}
          {run.acts_for !== null && <> for {who(run.acts_for, run.acts_for_name, 'human')}</>}
        </Text>
      </Table.Td>
      <Table.Td>
        <RunBadge status={run.status} />
      </Table.Td>
      <Table.Td className="hcp-wide">
        {who(run.principal_id, run.principal_name, run.principal_kind)}
        {run.acts_for !== null && (
          <Text size="xs" c="dimmed">
            for {who(run.acts_for, run.acts_for_name, 'human')}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{moment(run.created_at)}</Table.Td>
      <Table.Td className="hcp-wide">{run.duration_ms === null ? '' : duration(run.duration_ms)}</Table.Td>
    </Table.Tr>
  );
}

import { Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { HcpError } from '@hcp/sdk';
import type { AuditEvent } from '@hcp/contracts';
import { exactMoment, momentToSecond, spaced } from '../../app/format.js';
import { useNames } from '../../app/names.js';
import { Empty } from '../../parts/empty.js';
import { ErrorBox } from '../../parts/error-box.js';
import { TextLink } from '../../parts/link.js';
import { Loading } from '../../parts/loading.js';
import { More } from '../../parts/more.js';
import { Page } from '../../parts/page.js';
import { Decision } from './decision.js';
import { ExportLog } from './export-log.js';
import { Filters } from './filters.js';
import { auditPages } from './queries.js';
import { type AuditSearch, readAuditSearch } from './search.js';

const route = getRouteApi('/audit');

export function AuditList() {
  // The router also hands on what is in the address besides.
  const search = readAuditSearch({ ...route.useSearch() });
  const navigate = route.useNavigate();
  const change = (to: AuditSearch): void => void navigate({ search: to, replace: true });
  const list = useInfiniteQuery(auditPages(search));
  const events = list.data?.pages.flatMap((page) => page.items) ?? [];
  const filtered = Object.keys(search).length > 0;
  return (
    <Page
      title="Audit"
      about="Every decision, every outcome and every change of rights, newest first."
      actions={<ExportLog search={search} />}
    >
      <Filters search={search} onChange={change} />
      {list.isError && (
        <Failed error={list.error} narrow={search.pack === undefined} retry={() => void list.refetch()} />
      )}
      {list.isPending && <Loading />}
      {list.data && events.length === 0 && <Nothing filtered={filtered} />}
      {events.length > 0 && <Rows events={events} />}
      {list.hasNextPage && <More loading={list.isFetchingNextPage} onReached={() => void list.fetchNextPage()} />}
    </Page>
  );
}

/** Who may read the log of one pack has to say which. */
function Failed({ error, narrow, retry }: { error: unknown; narrow: boolean; retry: () => void }) {
  if (narrow && error instanceof HcpError && error.code === 'missing_capability') {
    return <Empty title="You may read a part of the log">Choose the pack whose events you may read.</Empty>;
  }
  return <ErrorBox error={error} retry={retry} />;
}

function Nothing({ filtered }: { filtered: boolean }) {
  if (filtered) return <Empty title="Nothing matches">Choose other filters, or clear them.</Empty>;
  return <Empty title="Nothing was recorded yet">Run a command, or change a right: each is written here.</Empty>;
}

function Rows({ events }: { events: readonly AuditEvent[] }) {
  const name = useNames();
  return (
    <Table.ScrollContainer minWidth={300} type="native">
      <Table aria-label="Audit events" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th>Decision</Table.Th>
            <Table.Th className="hcp-wide">Who</Table.Th>
            <Table.Th className="hcp-wide">On what</Table.Th>
            <Table.Th>When</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {events.map((event) => (
            <Table.Tr key={event.id}>
              <Table.Td>
                <TextLink to="/audit/$id" params={{ id: event.id }} preload={false} size="sm">
                  {spaced(event.action)}
                </TextLink>
                <Text size="xs" c="dimmed" className="hcp-narrow hcp-value">
                  {[whoOf(event, name), subjectOf(event)].filter((text) => text !== '').join(' · ')}
                </Text>
              </Table.Td>
              <Table.Td>
                <Decision event={event} />
              </Table.Td>
              <Table.Td className="hcp-wide">{whoOf(event, name)}</Table.Td>
              <Table.Td className="hcp-wide">{subjectOf(event)}</Table.Td>
              <Table.Td>
                <time dateTime={event.at} title={exactMoment(event.at)}>
                  {momentToSecond(event.at)}
                </time>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const whoOf = (event: AuditEvent, name: ReturnType<typeof useNames>): string =>
  event.principal_id === null ? 'the system' : name(event.principal_id, event.principal_kind);

function subjectOf({ pack_id, verb_key, subject }: AuditEvent): string {
  if (verb_key !== null || pack_id !== null) return [pack_id, verb_key].filter((part) => part !== null).join(' ');
  // `role:0190…`: the kind says enough in a list.
  return subject === null ? '' : spaced(subject.split(':')[0] ?? '');
}

import { Button, Code, Group, Modal, Select, Table, TextInput, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditEvent, ListAuditQuery } from '@hcp/contracts';
import { useState } from 'react';
import { api } from '../app/api.js';
import { escapeLines, exactMoment, moment, spaced } from '../app/format.js';
import { useNames } from '../app/names.js';
import { Empty } from '../parts/empty.js';
import { ErrorBox } from '../parts/error-box.js';
import { TextLink } from '../parts/link.js';
import { Loading } from '../parts/loading.js';
import { Page } from '../parts/page.js';

type Filters = Pick<ListAuditQuery, 'action' | 'decision'>;

export function Audit() {
  const [filters, setFilters] = useState<Filters>({});
  const [shown, setShown] = useState<AuditEvent | null>(null);
  const list = useInfiniteQuery({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam }) =>
      api.audit.list({ ...filters, limit: 50, ...(pageParam !== '' && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  const events = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Page title="Audit" about="Every decision, every outcome and every change of rights, newest first.">
      <Group gap="sm" align="flex-end">
        <TextInput
          label="Action"
          placeholder="exec.decision"
          value={filters.action ?? ''}
          onChange={({ currentTarget }) => setFilters({ ...filters, action: currentTarget.value.trim() || undefined })}
        />
        <Select
          label="Decision"
          placeholder="Any"
          clearable
          w={140}
          data={['allow', 'ask', 'deny']}
          value={filters.decision ?? null}
          onChange={(value) => setFilters({ ...filters, decision: value ?? undefined })}
        />
      </Group>
      {list.isError && <ErrorBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && events.length === 0 && (
        <Empty title="Nothing matches">Choose other filters, or clear them. Actions are written whole.</Empty>
      )}
      {events.length > 0 && <Rows events={events} onOpen={setShown} />}
      {list.hasNextPage && (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
      <One event={shown} onClose={() => setShown(null)} />
    </Page>
  );
}

function Rows({ events, onOpen }: { events: readonly AuditEvent[]; onOpen: (event: AuditEvent) => void }) {
  const name = useNames();
  return (
    <Table aria-label="Audit events" highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>What</Table.Th>
          <Table.Th>Decision</Table.Th>
          <Table.Th className="hcp-wide">By</Table.Th>
          <Table.Th className="hcp-wide">Command</Table.Th>
          <Table.Th>When</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {events.map((event) => (
          <Table.Tr key={event.id}>
            <Table.Td>
              <Button variant="transparent" size="compact-sm" className="hcp-plain" onClick={() => onOpen(event)}>
                {spaced(event.action)}
              </Button>
            </Table.Td>
            <Table.Td>{event.decision ?? ''}</Table.Td>
            <Table.Td className="hcp-wide">
              {event.principal_id === null ? 'the system' : name(event.principal_id, event.principal_kind)}
            </Table.Td>
            <Table.Td className="hcp-wide">
              {event.pack_id} {event.verb_key}
            </Table.Td>
            <Table.Td>{moment(event.at)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function One({ event, onClose }: { event: AuditEvent | null; onClose: () => void }) {
  const rows = event === null ? [] : Object.entries<unknown>(event).filter(([, value]) => value !== null);
  return (
    <Modal
      opened={event !== null}
      onClose={onClose}
      size="lg"
      title={
        <Title order={2} size="h4">
          Audit event
        </Title>
      }
    >
      <Table layout="fixed" aria-label="The event">
        <Table.Tbody>
          {rows.map(([field, value]) => (
            <Table.Tr key={field}>
              <Table.Th scope="row" w="35%">
                {spaced(field)}
              </Table.Th>
              <Table.Td className="hcp-value">
                <Value field={field} value={value} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}

function Value({ field, value }: { field: string; value: unknown }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  if (field === 'run_id') {
    return (
      <TextLink to="/runs/$id" params={{ id: text }}>
        {text}
      </TextLink>
    );
  }
  if (field === 'at') return exactMoment(text);
  if (typeof value === 'object') return <Code block>{escapeLines(text)}</Code>;
  return escapeLines(text);
}

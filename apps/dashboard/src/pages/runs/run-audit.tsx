import { Group, Paper, Stack, Table, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../app/api.js';
import { moment, spaced } from '../../app/format.js';
import { useNames } from '../../app/names.js';
import { TextLink } from '../../parts/link.js';
import { Loaded } from '../../parts/loading.js';
import { Proofs } from '../audit/proofs.js';

/** What the audit log has of one run. */
export function RunAudit({ run_id }: { run_id: string }) {
  const name = useNames();
  const query = useQuery({ queryKey: ['run', run_id, 'audit'], queryFn: () => api.audit.list({ run_id, limit: 50 }) });
  return (
    <Paper withBorder p="lg" component="section" aria-label="Audit log">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h5">
          In the audit log
        </Title>
        <TextLink to="/audit" search={{ run: run_id }} size="sm">
          Show them in the log
        </TextLink>
      </Group>
      <Loaded query={query}>
        {({ items }) => (
          <Stack gap="md">
            <Table aria-label="Audit events of this run">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>What</Table.Th>
                  <Table.Th>Decision</Table.Th>
                  <Table.Th className="hcp-wide">By</Table.Th>
                  <Table.Th>When</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {items.map((event) => (
                  <Table.Tr key={event.id}>
                    <Table.Td>
                      <TextLink to="/audit/$id" params={{ id: event.id }} preload={false} size="sm">
                        {spaced(event.action)}
                      </TextLink>
                    </Table.Td>
                    <Table.Td>{event.decision ?? event.code ?? (event.ran === true ? 'ran' : '')}</Table.Td>
                    <Table.Td className="hcp-wide">
                      {event.principal_id === null ? 'the system' : name(event.principal_id, event.principal_kind)}
                    </Table.Td>
                    <Table.Td>{moment(event.at)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
            {items.length > 0 && <Proofs ids={items.map(({ id }) => id)} />}
          </Stack>
        )}
      </Loaded>
    </Paper>
  );
}

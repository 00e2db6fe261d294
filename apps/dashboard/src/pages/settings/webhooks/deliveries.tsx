import { Badge, Button, Group, Paper, SegmentedControl, Stack, Table, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import type { Delivery, DeliveryState, Webhook } from '@hcp/contracts';
import { useState } from 'react';
import { api } from '../../../app/api.js';
import { exactMoment, moment } from '../../../app/format.js';
import { ErrorBox } from '../../../parts/error-box.js';
import { Listed } from '../../../parts/listed.js';
import { Said } from '../../../parts/said.js';
import { deliveriesOf, webhooksChanged } from './queries.js';
import { failureWords, STATE_WORDS } from './words.js';

const ALL = 'all';
const STATES: readonly { value: DeliveryState | typeof ALL; label: string }[] = [
  { value: ALL, label: 'All' },
  { value: 'pending', label: 'Waiting' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'dead', label: 'Given up' },
];

/** What the endpoint was told, and what it was not. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const [shown, setShown] = useState<DeliveryState | typeof ALL>(ALL);
  const query = useInfiniteQuery(deliveriesOf(webhook.id, shown === ALL ? null : shown));
  const again = useMutation({
    mutationFn: async (delivery_id: string) => {
      await api.webhooks.redeliver(webhook.id, delivery_id);
      await webhooksChanged();
    },
  });
  return (
    <Paper withBorder p="lg" component="section" aria-label="Deliveries">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Title order={2} size="h5">
            Deliveries
          </Title>
          <SegmentedControl
            size="xs"
            aria-label="Which deliveries"
            value={shown}
            onChange={setShown}
            data={[...STATES]}
          />
        </Group>
        {again.isError && <ErrorBox error={again.error} />}
        {again.isSuccess && <Said>It is sent once more, from its first attempt on.</Said>}
        <Listed
          query={query}
          empty={
            <Text size="sm" c="dimmed">
              {shown === ALL ? 'Nothing was sent yet. Send a test, or wait for the first event.' : 'There are none.'}
            </Text>
          }
        >
          {(deliveries) => (
            <Table aria-label="Deliveries">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Message</Table.Th>
                  <Table.Th>State</Table.Th>
                  <Table.Th className="hcp-wide">Attempts</Table.Th>
                  <Table.Th aria-label="Actions" />
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {deliveries.map((delivery) => (
                  <Row
                    key={delivery.id}
                    delivery={delivery}
                    onAgain={webhook.enabled ? () => again.mutate(delivery.id) : null}
                    pending={again.isPending && again.variables === delivery.id}
                  />
                ))}
              </Table.Tbody>
            </Table>
          )}
        </Listed>
      </Stack>
    </Paper>
  );
}

interface RowProps {
  readonly delivery: Delivery;
  /** Null where nothing can be sent. */
  readonly onAgain: (() => void) | null;
  readonly pending: boolean;
}

function Row({ delivery, onAgain, pending }: RowProps) {
  const { payload, state, attempts, last_status, next_attempt_at, created_at } = delivery;
  const { color, label } = STATE_WORDS[state];
  const failure = failureWords(delivery);
  const said = failure ?? (last_status === null ? null : `the endpoint answered ${String(last_status)}`);
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm">{payload.type}</Text>
        <Text size="xs" c="dimmed" title={exactMoment(created_at)}>
          {moment(created_at)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Badge variant="light" color={color}>
          {label}
        </Badge>
        {said !== null && (
          <Text size="xs" c="dimmed">
            {said}
          </Text>
        )}
        {state === 'pending' && attempts > 0 && next_attempt_at !== null && (
          <Text size="xs" c="dimmed">
            next try {moment(next_attempt_at)}
          </Text>
        )}
      </Table.Td>
      <Table.Td className="hcp-wide">{attempts}</Table.Td>
      <Table.Td ta="right">
        {state !== 'pending' && onAgain !== null && (
          <Button
            size="xs"
            variant="default"
            loading={pending}
            onClick={onAgain}
            aria-label={`Send ${payload.type} of ${moment(created_at)} again`}
          >
            Send again
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

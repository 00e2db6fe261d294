import { Alert, Button, Group, Paper, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import type { Delivery } from '@hcp/contracts';
import { api } from '../../../app/api.js';
import { moment } from '../../../app/format.js';
import { ErrorBox } from '../../../parts/error-box.js';
import { deliveriesOf, webhooksChanged } from './queries.js';
import { failureWords } from './words.js';

/** Sends a message that means nothing, and says what became of it. */
export function TestMessage({ id }: { id: string }) {
  const deliveries = useInfiniteQuery(deliveriesOf(id, null));
  const send = useMutation({
    mutationFn: async () => {
      const sent = await api.webhooks.test(id);
      await webhooksChanged();
      return sent;
    },
  });
  const sent = deliveries.data?.pages.flatMap(({ items }) => items).find((each) => each.id === send.data?.id);
  return (
    <Paper withBorder p="lg" component="section" aria-label="Test">
      <Group justify="space-between" gap="sm">
        <div>
          <Title order={2} size="h5">
            Does it arrive?
          </Title>
          <Text size="sm" c="dimmed">
            Sends a message of type webhook.test.
          </Text>
        </div>
        <Button variant="light" loading={send.isPending} onClick={() => send.mutate()}>
          Send a test
        </Button>
      </Group>
      {send.isError && <ErrorBox error={send.error} />}
      {send.data && <Result delivery={sent ?? send.data} />}
    </Paper>
  );
}

function Result({ delivery }: { delivery: Delivery }) {
  const { state, last_status, next_attempt_at, attempts } = delivery;
  const failure = failureWords(delivery);
  if (state === 'delivered') {
    return (
      <Alert mt="sm" color="green" variant="light" role="status" title="It arrived">
        The endpoint answered {last_status}.
      </Alert>
    );
  }
  if (state === 'dead') {
    return (
      <Alert mt="sm" color="red" variant="light" role="status" title="It did not arrive">
        Given up: {failure ?? 'it could not be sent'}.
      </Alert>
    );
  }
  return (
    <Alert
      mt="sm"
      color={failure === null ? 'blue' : 'yellow'}
      variant="light"
      role="status"
      title={failure === null ? 'On its way' : 'It did not arrive yet'}
    >
      {failure === null
        ? 'A worker sends it now.'
        : `After ${String(attempts)} ${attempts === 1 ? 'attempt' : 'attempts'}: ${failure}. ${
            next_attempt_at === null ? '' : `It tries again ${moment(next_attempt_at)}.`
          }`}
    </Alert>
  );
}

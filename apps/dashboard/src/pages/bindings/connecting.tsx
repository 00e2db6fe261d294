import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ConnectBinding, Connection, ConnectStarted } from '@hcp/contracts';
import { useEffect, useEffectEvent, useState } from 'react';
import { api } from '../../app/api.js';
import { useAct } from '../../app/act.js';
import { Countdown } from '../../parts/countdown.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Loading } from '../../parts/loading.js';
import { connectionQuery } from './queries.js';

interface ConnectingProps {
  readonly wanted: Omit<ConnectBinding, 'return_to'>;
  readonly onDone: () => void;
}

/**
 * Leads a person to a provider and shows how far they have come. The provider opens by a link that is clicked: nothing that a
 * browser would block. The link is in this page's memory alone.
 */
export function Connecting({ wanted, onDone }: ConnectingProps) {
  const [started, setStarted] = useState<ConnectStarted | null>(null);
  const beginning = useAct(async () => {
    setStarted(null);
    setStarted(await api.bindings.connect({ ...wanted, return_to: 'dashboard' }));
  });
  const begin = useEffectEvent(beginning.run);
  useEffect(() => begin(), []);
  const again = (): void => beginning.run();
  if (beginning.error !== null) return <ErrorBox error={beginning.error} retry={again} title="Not begun" />;
  if (started === null) return <Loading />;
  return <Way started={started} onAgain={again} onDone={onDone} />;
}

interface WayProps {
  readonly started: ConnectStarted;
  readonly onAgain: () => void;
  readonly onDone: () => void;
}

function Way({ started, onAgain, onDone }: WayProps) {
  const query = useQuery(connectionQuery(started.connection_id));
  if (query.data === undefined) {
    return query.isError ? <ErrorBox error={query.error} retry={() => void query.refetch()} /> : <Loading />;
  }
  const { status, provider, reason } = query.data;
  if (status === 'connected') {
    return (
      <Stack>
        <Alert color="green" variant="light" role="status" title="Connected">
          Commands of {query.data.pack_id} run with your account at {provider} from now on.
        </Alert>
        <Group justify="flex-end">
          <Button onClick={onDone}>Done</Button>
        </Group>
      </Stack>
    );
  }
  if (status === 'failed' || status === 'expired') {
    return (
      <Stack>
        <Alert color="red" variant="light" role="alert" title="Not connected">
          {status === 'expired' ? 'It took longer than ten minutes.' : reason} Nothing was changed.
        </Alert>
        <Group justify="flex-end">
          <Button onClick={onAgain}>Begin again</Button>
        </Group>
      </Stack>
    );
  }
  return <Waiting started={started} connection={query.data} onAgain={onAgain} />;
}

interface WaitingProps {
  readonly started: ConnectStarted;
  readonly connection: Connection;
  readonly onAgain: () => void;
}

function Waiting({ started, connection: { status, provider }, onAgain }: WaitingProps) {
  return (
    <Stack>
      {status === 'pending' ? (
        <>
          <Text>A new tab opens and shows a code. Go on there only if it is this one, then agree at {provider}.</Text>
          <Text ff="monospace" fz="xl" fw={700} ta="center" aria-label={`Code ${started.code}`}>
            {started.code}
          </Text>
          <Button component="a" href={started.authorize_url} target="_blank" rel="noreferrer">
            Open {provider} in a new tab
          </Button>
        </>
      ) : (
        <Text>Go on in the tab that shows {provider}. This page tells you as soon as it is done.</Text>
      )}
      <Group justify="space-between" gap="xs">
        <Group gap="xs" role="status">
          <Loader size="xs" aria-hidden />
          <Text size="sm" c="dimmed">
            {status === 'pending' ? 'Waiting for you' : `Waiting for ${provider}`}
          </Text>
        </Group>
        <Text size="sm" c="dimmed">
          <Countdown until={started.expires_at} /> left
        </Text>
      </Group>
      {status === 'started' && (
        <Button variant="default" onClick={onAgain}>
          I closed that tab: begin again
        </Button>
      )}
    </Stack>
  );
}

import { Alert, Button, Code, CopyButton, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Empty } from '../../parts/empty.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Loading } from '../../parts/loading.js';
import { More } from '../../parts/more.js';
import { Page } from '../../parts/page.js';
import { only } from './only.js';
import { AddProvider } from './providers/add.js';
import { Client } from './providers/client.js';
import { providersChanged, PROVIDERS } from './providers/queries.js';

const route = getRouteApi('/settings/providers');

export const ProvidersPage = only('tenant.manage', 'OAuth clients', function ProvidersPage() {
  return (
    <Page title="OAuth clients" about="This installation as a client of the services that packs connect to.">
      <Providers />
    </Page>
  );
});

function Providers() {
  const { provider } = route.useSearch();
  const [adding, setAdding] = useState(provider !== undefined);
  const [added, setAdded] = useState<string | null>(null);
  const list = useInfiniteQuery(PROVIDERS);
  const clients = list.data?.pages.flatMap((page) => page.items) ?? [];
  const redirect_uri = list.data?.pages[0]?.redirect_uri;
  const done = (name: string): void => {
    setAdding(false);
    setAdded(name);
    void providersChanged();
  };
  return (
    <>
      {list.isError && <ErrorBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {redirect_uri !== undefined && <RedirectUri uri={redirect_uri} />}
      {added !== null && (
        <Alert color="green" variant="light" role="status" title={`${added} is registered`}>
          People connect accounts there under Bindings from now on.
        </Alert>
      )}
      {list.data && !adding && clients.length > 0 && (
        <Group>
          <Button onClick={() => (setAdding(true), setAdded(null))}>Add a client</Button>
        </Group>
      )}
      {list.data && adding && <AddProvider provider={provider ?? ''} onDone={done} onCancel={() => setAdding(false)} />}
      {list.data && clients.length === 0 && !adding && (
        <Empty
          title="No OAuth client is registered"
          action={<Button onClick={() => setAdding(true)}>Add a client</Button>}
        >
          Register this installation at a service, with the address above, then add here what the service gave you. From
          then on people sign in there in place of copying tokens.
        </Empty>
      )}
      {clients.length > 0 && (
        <Stack gap="sm" component="ul" className="hcp-list" aria-label="OAuth clients">
          {clients.map((client) => (
            <li key={client.id}>
              <Client client={client} />
            </li>
          ))}
        </Stack>
      )}
      {list.hasNextPage && <More loading={list.isFetchingNextPage} onReached={() => void list.fetchNextPage()} />}
    </>
  );
}

/** What each service wants to know before it sends anybody back. */
function RedirectUri({ uri }: { uri: string }) {
  return (
    <Paper withBorder p="lg" component="section" aria-label="Redirect URI">
      <Stack gap="xs" align="flex-start">
        <Title order={2} size="h5">
          Redirect URI
        </Title>
        <Text size="sm" c="dimmed">
          Give this address to each service when you register there: it sends people back to it.
        </Text>
        <Group gap="xs">
          <Code className="hcp-value">{uri}</Code>
          <CopyButton value={uri}>
            {({ copied, copy }) => (
              <Button size="xs" variant="default" onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
        </Group>
      </Stack>
    </Paper>
  );
}

import { Alert, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Connection } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { ButtonLink, TextLink } from '../../parts/link.js';
import { Loaded } from '../../parts/loading.js';
import { Page } from '../../parts/page.js';
import { bindingQuery, connectionQuery } from './queries.js';

const route = getRouteApi('/bindings/connections/$id');

/** Where a browser ends that comes back from a provider; also for whoever left the page that they began at. */
export function ConnectionPage() {
  const { id } = route.useParams();
  const query = useQuery(connectionQuery(id));
  return (
    <Page title="Connection" actions={<TextLink to="/bindings">All bindings</TextLink>}>
      <Loaded query={query}>{(connection) => <Outcome connection={connection} />}</Loaded>
    </Page>
  );
}

function Outcome({ connection }: { connection: Connection }) {
  const { status, pack_id, provider, reason, binding_id } = connection;
  if (status === 'connected') {
    return (
      <>
        <Alert color="green" variant="light" role="status" title="Connected">
          <Text>
            {pack_id} is connected to {provider}
            {binding_id !== null && <As id={binding_id} />}. Its commands run with that account from now on.
          </Text>
          <Text size="sm" mt="xs">
            The tab that you began in shows it as well; you can close this one.
          </Text>
        </Alert>
        <Group>
          {binding_id !== null && (
            <ButtonLink to="/bindings/$id" params={{ id: binding_id }}>
              See the binding
            </ButtonLink>
          )}
          <ButtonLink to="/commands" variant="default">
            Choose a command
          </ButtonLink>
        </Group>
      </>
    );
  }
  if (status === 'failed' || status === 'expired') {
    return (
      <>
        <Alert color="red" variant="light" role="alert" title="Not connected">
          {status === 'expired' ? 'It took longer than ten minutes.' : reason} Nothing was changed for {pack_id}.
        </Alert>
        <Group>
          <ButtonLink to="/bindings/connect" search={{ pack: pack_id }}>
            Begin again
          </ButtonLink>
        </Group>
      </>
    );
  }
  return (
    <Alert color="blue" variant="light" role="status" title="Under way">
      {pack_id} is being connected to {provider}. This page tells you as soon as it is done.
    </Alert>
  );
}

function As({ id }: { id: string }) {
  const { data } = useQuery(bindingQuery(id));
  if (!data?.account_name) return null;
  return (
    <>
      {' '}
      as <bdi>{escapeInvisible(data.account_name)}</bdi>
    </>
  );
}

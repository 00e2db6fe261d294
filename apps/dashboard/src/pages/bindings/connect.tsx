import { Alert, Group, Paper, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { PackSummary } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { may, useMe } from '../../app/session.js';
import { Empty } from '../../parts/empty.js';
import { ButtonLink, TextLink } from '../../parts/link.js';
import { Loaded } from '../../parts/loading.js';
import { Page } from '../../parts/page.js';
import { ConnectForm } from './connect-form.js';
import { packQuery, PACKS_TO_CONNECT } from './queries.js';

const route = getRouteApi('/bindings/connect');

/** Chooses a pack; the form below is made of what that pack needs. */
export function ConnectPage() {
  const me = useMe();
  const query = useQuery(PACKS_TO_CONNECT);
  return (
    <Page
      title="Connect a pack"
      about="Give the commands of a pack the credential that they run with."
      actions={<TextLink to="/bindings">All bindings</TextLink>}
    >
      {may(me, 'pack.connect') || may(me, 'binding.manage') ? (
        <Loaded query={query}>{(packs) => <Choice packs={packs} />}</Loaded>
      ) : (
        <Alert color="gray" variant="light" title="You may not connect packs">
          Ask somebody who manages access for pack.connect, or binding.manage for shared credentials.
        </Alert>
      )}
    </Page>
  );
}

function Choice({ packs }: { packs: readonly PackSummary[] }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const chosen = packs.find(({ pack_id }) => pack_id === search.pack);
  if (packs.length === 0) {
    return (
      <Empty title="No pack here needs a credential" action={<ButtonLink to="/packs">See the packs</ButtonLink>}>
        A pack that signs in somewhere says what it needs. Once one is installed and active, it is connected here.
      </Empty>
    );
  }
  return (
    <Paper withBorder p="lg" maw={640}>
      <Stack>
        <Select
          label="Pack"
          placeholder="Choose a pack"
          searchable
          allowDeselect={false}
          data={packs.map(({ pack_id, provider }) => ({
            value: pack_id,
            label: provider === null ? pack_id : `${pack_id} (${escapeInvisible(provider)})`,
          }))}
          value={chosen?.pack_id ?? null}
          onChange={(pack) => pack !== null && void navigate({ search: { pack } })}
          error={
            search.pack !== undefined && !chosen ? 'This pack is not active here, or needs no credential.' : undefined
          }
        />
        {chosen && (
          <Text size="sm" c="dimmed" className="hcp-value">
            <bdi>{escapeInvisible(chosen.description)}</bdi>
          </Text>
        )}
        {chosen && <Form key={chosen.pack_id} pack_id={chosen.pack_id} />}
      </Stack>
    </Paper>
  );
}

function Form({ pack_id }: { pack_id: string }) {
  const query = useQuery(packQuery(pack_id));
  return (
    <Loaded query={query}>
      {({ binding }) =>
        binding === undefined || binding.ways.length === 0 ? (
          <Group>
            <Text>This pack names no field for a credential, so there is nothing to give.</Text>
          </Group>
        ) : (
          <ConnectForm pack_id={pack_id} needed={binding} />
        )
      }
    </Loaded>
  );
}

import { Alert, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Binding } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import type { ReactNode } from 'react';
import { exactMoment } from '../../app/format.js';
import { useNames } from '../../app/names.js';
import { useProjectName } from '../../app/projects.js';
import { TextLink } from '../../parts/link.js';
import { Loaded } from '../../parts/loading.js';
import { Page } from '../../parts/page.js';
import { Mend, useMending } from './mend.js';
import { bindingQuery } from './queries.js';
import { Revoke } from './revoke.js';
import { BindingBadge } from './state-badge.js';
import { KIND, whose, whyNot } from './words.js';

const route = getRouteApi('/bindings/$id');

export function BindingPage() {
  const { id } = route.useParams();
  const query = useQuery(bindingQuery(id));
  return (
    <Page
      title={query.data ? `Binding of ${query.data.pack_id}` : 'Binding'}
      actions={<TextLink to="/bindings">All bindings</TextLink>}
    >
      <Loaded query={query}>{(binding) => <About binding={binding} />}</Loaded>
    </Page>
  );
}

function About({ binding }: { binding: Binding }) {
  const name = useNames();
  const project = useProjectName();
  const { state, kind, project_id, account, account_name, scopes, fields } = binding;
  const why = whyNot(binding);
  const mending = useMending();
  return (
    <Stack>
      {mending.shown}
      <Group gap="sm" role="status">
        <BindingBadge state={state} />
        <Text size="sm" c="dimmed">
          version {binding.version}
        </Text>
      </Group>
      {why !== null && (
        <Alert
          color={state === 'revoked' ? 'gray' : 'red'}
          variant="light"
          title={state === 'revoked' ? 'Revoked' : 'Good for nothing'}
        >
          {why}
        </Alert>
      )}
      <Group gap="sm">
        <Mend binding={binding} mending={mending} />
        <Revoke binding={binding} />
      </Group>
      <Paper withBorder p="lg" component="section" aria-label="About this binding" maw={720}>
        <Title order={2} size="h5" mb="sm">
          About this binding
        </Title>
        <dl className="hcp-facts">
          <Fact label="Serves">
            {whose(binding)}
            {project_id === null ? ', in the whole tenant' : <>, in the project {project(project_id)}</>}
          </Fact>
          <Fact label="Kind">
            {KIND[kind]}, family {binding.family}
          </Fact>
          {account !== null && <Fact label="Account">{escapeInvisible(account_name ?? account)}</Fact>}
          {scopes.length > 0 && <Fact label="What the provider granted">{scopes.map(escapeInvisible).join(', ')}</Fact>}
          <Fact label="Fields">{fields.join(', ')}; their values cannot be read back</Fact>
          <Fact label="Connected">
            {exactMoment(binding.created_at)} by {name(binding.created_by, 'human')}
          </Fact>
          {binding.version > 1 && (
            <Fact label="Last given anew">
              {exactMoment(binding.rotated_at)} by {name(binding.rotated_by, 'human')}
            </Fact>
          )}
          {binding.revoked_at !== null && <Fact label="Revoked">{exactMoment(binding.revoked_at)}</Fact>}
          {state !== 'revoked' && (
            <Fact label="Ends">
              {binding.expires_at === null ? 'never by itself' : exactMoment(binding.expires_at)}
            </Fact>
          )}
          {binding.token_expires_at !== null && state === 'active' && (
            <Fact label="The token in hand ends">
              {exactMoment(binding.token_expires_at)}; it is renewed before a run needs it
            </Fact>
          )}
        </dl>
      </Paper>
    </Stack>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>
        <Text size="sm" c="dimmed">
          {label}
        </Text>
      </dt>
      <dd className="hcp-value">
        <bdi>{children}</bdi>
      </dd>
    </div>
  );
}

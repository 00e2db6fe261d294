import { Badge, Button, Group, Modal, Paper, Stack, Text, Title } from '@mantine/core';
import type { ProviderClient, UpdateProviderClient } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { type FormEvent, useState } from 'react';
import { api } from '../../../app/api.js';
import { atField } from '../../../app/field-errors.js';
import { moment } from '../../../app/format.js';
import { useAct } from '../../../app/act.js';
import { Ask } from '../../../parts/ask.js';
import { FormError } from '../../../parts/form-error.js';
import { SecretInput } from '../../../parts/secret-input.js';
import { readUse, textOf, UseFields } from './fields.js';
import { providersChanged } from './queries.js';

const GRANT: Record<ProviderClient['grant_types'][number], string> = {
  authorization_code: 'people’s accounts',
  client_credentials: 'own account',
};

/** One OAuth client, and what can be changed of it. */
export function Client({ client }: { client: ProviderClient }) {
  const { id, provider, issuer, token_endpoint, client_id, scopes, grant_types, updated_at } = client;
  const [doing, setDoing] = useState<'change' | 'remove' | null>(null);
  const close = (): void => setDoing(null);
  const name = escapeInvisible(provider);
  const remove = async (): Promise<void> => {
    await api.providers.delete(id);
    await providersChanged();
  };
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={4} miw={0} flex="1 1 18rem">
          <Group gap="xs">
            <Text fw={600} className="hcp-value">
              <bdi>{name}</bdi>
            </Text>
            {grant_types.map((grant) => (
              <Badge key={grant} variant="light" color="gray">
                {GRANT[grant]}
              </Badge>
            ))}
          </Group>
          <Text size="sm" className="hcp-value">
            Client {escapeInvisible(client_id)} at {issuer ?? token_endpoint}
          </Text>
          <Text size="sm" c="dimmed" className="hcp-value">
            {scopes.length === 0 ? 'No scopes' : `Scopes: ${scopes.join(' ')}`} · changed {moment(updated_at)}
          </Text>
        </Stack>
        <Group gap="xs">
          <Button size="xs" variant="default" aria-label={`Change ${name}`} onClick={() => setDoing('change')}>
            Change
          </Button>
          <Button
            size="xs"
            variant="light"
            color="red"
            aria-label={`Remove ${name}`}
            onClick={() => setDoing('remove')}
          >
            Remove
          </Button>
        </Group>
      </Group>
      <Modal
        opened={doing === 'change'}
        onClose={close}
        title={
          <Title order={2} size="h4">
            Change {name}
          </Title>
        }
      >
        <Change client={client} onDone={close} />
      </Modal>
      <Ask
        opened={doing === 'remove'}
        onClose={close}
        title={`Remove the client for ${name}?`}
        yes="Remove the client"
        danger
        act={remove}
      >
        Everything that was connected through it is stale at once: commands that need it are refused until people
        connect again, through another client.
      </Ask>
    </Paper>
  );
}

function Change({ client, onDone }: { client: ProviderClient; onDone: () => void }) {
  const changing = useAct(async (form: HTMLFormElement) => {
    await api.providers.update(client.id, read(new FormData(form)));
    onDone();
    await providersChanged();
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    changing.run(event.currentTarget);
  };
  return (
    <form onSubmit={submit} autoComplete="off">
      <Stack>
        <Text size="sm" c="dimmed">
          Its addresses and client id stay: tokens go there. For others, remove it and add a new one.
        </Text>
        {client.token_endpoint_auth_method !== 'none' && (
          <SecretInput
            name="client_secret"
            label="New client secret"
            description="Left empty, the one that is stored stays."
            error={atField(changing.error, '/client_secret')}
          />
        )}
        <UseFields scopes={client.scopes} grants={client.grant_types} error={changing.error} />
        <FormError error={changing.error} fields={['/client_secret', '/scopes', '/grant_types']} title="Not changed" />
        <Group justify="flex-end">
          <Button type="submit" loading={changing.busy}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function read(data: FormData): UpdateProviderClient {
  const client_secret = textOf(data, 'client_secret');
  return { ...readUse(data), ...(client_secret !== '' && { client_secret }) };
}

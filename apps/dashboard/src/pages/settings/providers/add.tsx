import { Autocomplete, Button, Group, Paper, Radio, Select, Stack, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { CreateProviderClient, ProviderClient } from '@hcp/contracts';
import { type FormEvent, useState } from 'react';
import { api } from '../../../app/api.js';
import { atField } from '../../../app/field-errors.js';
import { useAct } from '../../../app/act.js';
import { FormError } from '../../../parts/form-error.js';
import { SecretInput } from '../../../parts/secret-input.js';
import { readUse, textOf, UseFields } from './fields.js';
import { NAMED_PROVIDERS } from './queries.js';

type Method = ProviderClient['token_endpoint_auth_method'];

const METHODS: readonly { value: Method; label: string }[] = [
  { value: 'client_secret_basic', label: 'Secret, by HTTP Basic (usual)' },
  { value: 'client_secret_post', label: 'Secret, in the request’s body' },
  { value: 'none', label: 'No secret: a public client' },
];

const ENDPOINTS = [
  { name: 'authorization_endpoint', label: 'Authorization endpoint', required: true },
  { name: 'token_endpoint', label: 'Token endpoint', required: true },
  { name: 'revocation_endpoint', label: 'Revocation endpoint', required: false },
  { name: 'userinfo_endpoint', label: 'User info endpoint', required: false },
] as const;

interface AddProviderProps {
  /** The service that is wanted, where a page led here for it. */
  readonly provider: string;
  readonly onDone: (provider: string) => void;
  readonly onCancel: () => void;
}

/** What a service gave to whoever registered this installation there. */
export function AddProvider({ provider, onDone, onCancel }: AddProviderProps) {
  const named = useQuery(NAMED_PROVIDERS);
  const [found, setFound] = useState<'issuer' | 'endpoints'>('issuer');
  const [method, setMethod] = useState<Method>('client_secret_basic');
  const adding = useAct(async (form: HTMLFormElement) => {
    const client = await api.providers.create(read(new FormData(form), found, method));
    onDone(client.provider);
  });
  const at = (name: string): string | undefined => atField(adding.error, `/${name}`);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    adding.run(event.currentTarget);
  };
  return (
    <Paper withBorder p="lg" component="section" aria-label="Add a client" maw={720}>
      <form onSubmit={submit} autoComplete="off">
        <Stack>
          <Title order={2} size="h5">
            Add a client
          </Title>
          <Autocomplete
            name="provider"
            label="Provider"
            description="As the packs name the service."
            required
            defaultValue={provider}
            data={named.data ?? []}
            error={at('provider')}
          />
          <Radio.Group
            label="Where its endpoints are"
            value={found}
            onChange={(value) => setFound(value === 'issuer' ? 'issuer' : 'endpoints')}
          >
            <Group gap="lg" mt={4}>
              <Radio value="issuer" label="Found by its issuer" />
              <Radio value="endpoints" label="Given one by one" />
            </Group>
          </Radio.Group>
          {found === 'issuer' ? (
            <TextInput
              name="issuer"
              label="Issuer"
              placeholder="https://accounts.example.com"
              required
              spellCheck={false}
              error={at('issuer')}
            />
          ) : (
            <Stack gap="sm">
              {ENDPOINTS.map(({ name, label, required }) => (
                <TextInput
                  key={name}
                  name={name}
                  label={label}
                  placeholder="https://"
                  required={required}
                  spellCheck={false}
                  error={at(name)}
                />
              ))}
            </Stack>
          )}
          <TextInput
            name="client_id"
            label="Client id"
            required
            spellCheck={false}
            autoComplete="off"
            error={at('client_id')}
          />
          <Select
            label="How it proves itself"
            allowDeselect={false}
            data={[...METHODS]}
            value={method}
            onChange={(value) => value && setMethod(value)}
            error={at('token_endpoint_auth_method')}
          />
          {method !== 'none' && (
            <SecretInput
              name="client_secret"
              label="Client secret"
              description="Encrypted at once; it cannot be read back."
              required
              error={at('client_secret')}
            />
          )}
          <UseFields scopes={[]} grants={['authorization_code']} error={adding.error} />
          <FormError error={adding.error} fields={PATHS} title="Not added" />
          <Group>
            <Button type="submit" loading={adding.busy}>
              Add the client
            </Button>
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

const PATHS = [
  'provider',
  'issuer',
  ...ENDPOINTS.map(({ name }) => name),
  'client_id',
  'client_secret',
  'token_endpoint_auth_method',
  'scopes',
  'grant_types',
].map((name) => `/${name}`);

function read(data: FormData, found: 'issuer' | 'endpoints', method: Method): CreateProviderClient {
  const endpoints = ENDPOINTS.flatMap(({ name }) => {
    const address = textOf(data, name);
    return address === '' ? [] : [[name, address]];
  });
  const { scopes, grant_types } = readUse(data);
  return {
    provider: textOf(data, 'provider'),
    ...(found === 'issuer' ? { issuer: textOf(data, 'issuer') } : (Object.fromEntries(endpoints) as object)),
    client_id: textOf(data, 'client_id'),
    token_endpoint_auth_method: method,
    ...(method !== 'none' && { client_secret: textOf(data, 'client_secret') }),
    scopes,
    grant_types,
  };
}

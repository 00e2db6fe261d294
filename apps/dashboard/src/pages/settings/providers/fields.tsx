import { Checkbox, Stack, TextInput } from '@mantine/core';
import type { ProviderClient } from '@hcp/contracts';
import { atField } from '../../../app/field-errors.js';

type Grant = ProviderClient['grant_types'][number];

interface UseFieldsProps {
  readonly scopes: readonly string[];
  readonly grants: readonly Grant[];
  readonly error: unknown;
}

/** What is asked for, and what the client is good for. */
export function UseFields({ scopes, grants, error }: UseFieldsProps) {
  return (
    <Stack gap="sm">
      <TextInput
        name="scopes"
        label="Scopes"
        description="What is asked for, with blanks between; offline_access or its like where the service wants that for renewing."
        defaultValue={scopes.join(' ')}
        autoComplete="off"
        spellCheck={false}
        error={atField(error, '/scopes')}
      />
      <Checkbox.Group label="Used for" defaultValue={[...grants]} error={atField(error, '/grant_types')}>
        <Stack gap="xs" mt={4}>
          <Checkbox name="grants" value="authorization_code" label="Accounts of people, who agree in their browser" />
          <Checkbox name="grants" value="client_credentials" label="The client’s own account (client credentials)" />
        </Stack>
      </Checkbox.Group>
    </Stack>
  );
}

/** What was chosen. */
export function readUse(data: FormData): { scopes: string[]; grant_types: Grant[] } {
  return {
    scopes: textOf(data, 'scopes').split(/\s+/).filter(Boolean),
    grant_types: data
      .getAll('grants')
      .filter((each): each is Grant => each === 'authorization_code' || each === 'client_credentials'),
  };
}

export function textOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

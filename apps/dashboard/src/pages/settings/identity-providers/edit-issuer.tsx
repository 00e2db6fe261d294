import { Button, Group, Stack } from '@mantine/core';
import type { OidcIssuer, UpdateOidcIssuer } from '@hcp/contracts';
import { type FormEvent, useState } from 'react';
import { FormError } from '../../../parts/form-error.js';
import { IssuerSettingsFields, SETTING_PATHS } from './issuer-settings.js';

interface EditIssuerProps {
  readonly issuer: OidcIssuer;
  readonly pending: boolean;
  readonly error: unknown;
  readonly onSubmit: (value: UpdateOidcIssuer) => void;
}

/** Issuer and audience stay: another pair is another provider. */
export function EditIssuer({ issuer, pending, error, onSubmit }: EditIssuerProps) {
  const { algorithms, email_claim, jit, jit_role, interactive } = issuer;
  const [settings, setSettings] = useState({ algorithms, email_claim, jit, jit_role, interactive });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit(settings);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <IssuerSettingsFields value={settings} onChange={setSettings} error={error} />
        <FormError error={error} fields={SETTING_PATHS} />
        <Group justify="flex-end">
          <Button type="submit" loading={pending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

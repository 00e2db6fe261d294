import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import type { CreateOidcIssuer } from '@hcp/contracts';
import { type FormEvent, useState } from 'react';
import { atField } from '../../../app/field-errors.js';
import { FormError } from '../../../parts/form-error.js';
import { FRESH, IssuerSettingsFields, SETTING_PATHS } from './issuer-settings.js';

const KINDS = [
  { value: 'human', label: 'people' },
  { value: 'agent', label: 'agents' },
  { value: 'service', label: 'services' },
] as const;

interface AddIssuerProps {
  readonly pending: boolean;
  readonly error: unknown;
  readonly onSubmit: (value: CreateOidcIssuer) => void;
}

export function AddIssuer({ pending, error, onSubmit }: AddIssuerProps) {
  const [issuer, setIssuer] = useState('');
  const [audience, setAudience] = useState('');
  const [subjectClaim, setSubjectClaim] = useState('');
  const [kind, setKind] = useState<(typeof KINDS)[number]['value']>('human');
  const [settings, setSettings] = useState(FRESH);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit({
      issuer: issuer.trim(),
      kind,
      ...(audience.trim() !== '' && { audience: audience.trim() }),
      ...(subjectClaim.trim() !== '' && { subject_claim: subjectClaim.trim() }),
      ...settings,
    });
  };
  const fields = ['/issuer', '/audience', '/kind', '/subject_claim', ...SETTING_PATHS];
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Issuer"
          description="iss of its tokens, byte by byte; its discovery document lies beneath."
          placeholder="https://id.example.com"
          required
          data-autofocus
          maxLength={500}
          value={issuer}
          error={atField(error, '/issuer')}
          onChange={({ currentTarget }) => setIssuer(currentTarget.value)}
        />
        <TextInput
          label="Audience"
          description="aud of its tokens. Left empty, it is made from your tenant’s id, which no other tenant can take."
          maxLength={300}
          value={audience}
          error={atField(error, '/audience')}
          onChange={({ currentTarget }) => setAudience(currentTarget.value)}
        />
        <Select
          label="Its subjects are"
          allowDeselect={false}
          data={[...KINDS]}
          value={kind}
          error={atField(error, '/kind')}
          onChange={(value) => value && setKind(value)}
        />
        <TextInput
          label="Claim that names the subject"
          description="It must never be given anew to somebody else."
          placeholder="sub"
          value={subjectClaim}
          error={atField(error, '/subject_claim')}
          onChange={({ currentTarget }) => setSubjectClaim(currentTarget.value)}
        />
        <IssuerSettingsFields value={settings} onChange={setSettings} error={error} />
        <FormError error={error} fields={fields} />
        <Group justify="flex-end">
          <Button type="submit" loading={pending}>
            Add the provider
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

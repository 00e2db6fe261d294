import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { CreateTenant } from '@hcp/contracts';
import { type FormEvent, useState } from 'react';
import { atField } from '../../../app/field-errors.js';
import { FormError } from '../../../parts/form-error.js';

/** `my-company` of `My Company`. */
const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 63);

export function AddTenant({ onCreate }: { onCreate: (value: CreateTenant) => Promise<void> }) {
  const [name, setName] = useState('');
  const [slug, setSlug] = useState<string | null>(null);
  const [email, setEmail] = useState('');
  const create = useMutation({ mutationFn: onCreate });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate({ name, slug: slug ?? slugOf(name), owner_email: email.trim() });
  };
  const fields = ['/name', '/slug', '/owner_email'];
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          required
          data-autofocus
          maxLength={100}
          value={name}
          error={atField(create.error, '/name')}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <TextInput
          label="Short name"
          description="Small letters, digits and hyphens; unique in the installation."
          required
          maxLength={63}
          value={slug ?? slugOf(name)}
          error={atField(create.error, '/slug')}
          onChange={({ currentTarget }) => setSlug(currentTarget.value)}
        />
        <TextInput
          label="Email of its owner"
          description="Invited as the first owner."
          type="email"
          required
          value={email}
          error={atField(create.error, '/owner_email')}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        />
        <FormError error={create.error} fields={fields} />
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending}>
            Create and invite
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

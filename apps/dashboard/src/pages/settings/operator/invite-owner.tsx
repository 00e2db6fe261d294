import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { atField } from '../../../app/field-errors.js';
import { FormError } from '../../../parts/form-error.js';

/** For a tenant whose first invitation was lost or ran out. */
export function InviteOwner({ onInvite }: { onInvite: (email: string) => Promise<void> }) {
  const [email, setEmail] = useState('');
  const invite = useMutation({ mutationFn: onInvite });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    invite.mutate(email.trim());
  };
  const fields = ['/email'];
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">Only while the tenant has no owner. An invitation that is open is revoked.</Text>
        <TextInput
          label="Email of its owner"
          type="email"
          required
          data-autofocus
          value={email}
          error={atField(invite.error, '/email')}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        />
        <FormError error={invite.error} fields={fields} />
        <Group justify="flex-end">
          <Button type="submit" loading={invite.isPending}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

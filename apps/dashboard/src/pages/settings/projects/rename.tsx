import { Button, Group, Stack, TextInput } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { atField } from '../../../app/field-errors.js';
import { Dialog } from '../../../parts/dialog.js';
import { FormError } from '../../../parts/form-error.js';

interface RenameDialogProps {
  readonly opened: boolean;
  readonly name: string;
  readonly renaming: UseMutationResult<void, Error, string>;
  readonly onClose: () => void;
}

export function RenameDialog({ opened, onClose, ...form }: RenameDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Rename the project">
      <RenameForm {...form} />
    </Dialog>
  );
}

function RenameForm({ name: before, renaming }: Pick<RenameDialogProps, 'name' | 'renaming'>) {
  const [name, setName] = useState(before);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    renaming.mutate(name);
  };
  const fields = ['/name'];
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          required
          data-autofocus
          maxLength={100}
          value={name}
          error={atField(renaming.error, '/name')}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <FormError error={renaming.error} fields={fields} />
        <Group justify="flex-end">
          <Button type="submit" loading={renaming.isPending}>
            Rename
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

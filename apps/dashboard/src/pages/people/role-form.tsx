import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Role } from '@hcp/contracts';
import { type FormEvent, useState } from 'react';
import { api } from '../../app/api.js';
import { atField } from '../../app/field-errors.js';
import { FormError } from '../../parts/form-error.js';
import { draftOf, GrantsEditor, grantsFrom, NO_GRANTS } from './grants-editor.js';
import { peopleChanged } from './queries.js';

export interface RoleFormProps {
  /** Null: a new one. */
  readonly role: Role | null;
  readonly onClose: () => void;
  readonly onDone: (name: string) => void;
}

/** What a role gives, and the name of a new one. */
export function RoleForm({ role, onClose, onDone }: RoleFormProps) {
  const [name, setName] = useState('');
  const [draft, setDraft] = useState(role === null ? NO_GRANTS : draftOf(role.grants));
  const grants = grantsFrom(draft);
  const save = useMutation({
    mutationFn: async () => {
      const id = role?.id ?? null;
      const saved = id === null ? await api.roles.create({ name, grants }) : await api.roles.update(id, { grants });
      await peopleChanged();
      onDone(saved.name);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} aria-label={role === null ? 'A new role' : `Change ${role.name}`}>
      <Stack gap="sm">
        <FormError error={save.error} fields={['/name', '/grants']} />
        {role === null && (
          <TextInput
            label="Name of the role"
            description="Small letters, digits, - and _; it begins with a letter"
            required
            autoFocus
            maxLength={63}
            value={name}
            error={atField(save.error, '/name')}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
        )}
        <GrantsEditor
          draft={draft}
          error={save.error}
          onChange={(next) => {
            setDraft(next);
            save.reset();
          }}
        />
        <Group gap="sm">
          <Button type="submit" loading={save.isPending} disabled={grants.length === 0}>
            {role === null ? 'Define the role' : 'Change the role'}
          </Button>
          <Button variant="default" onClick={onClose}>
            Leave it
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

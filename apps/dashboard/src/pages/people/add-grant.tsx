import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../app/api.js';
import { FormError } from '../../parts/form-error.js';
import { EMPTY_DRAFT, GRANT_FIELDS, grantFrom } from './grant-draft.js';
import { GrantFields } from './grant-fields.js';
import { peopleChanged } from './queries.js';

export interface AddGrantProps {
  readonly principal_id: string;
  readonly onClose: () => void;
  readonly onAdded: () => void;
}

export function AddGrant({ principal_id, onClose, onAdded }: AddGrantProps) {
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const add = useMutation({
    mutationFn: async () => {
      const grant = grantFrom(draft);
      if (grant === null) return;
      await api.grants.create({ principal_id, ...grant });
      await peopleChanged();
      onAdded();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form onSubmit={submit} aria-label="Add a grant">
      <Stack gap="sm">
        <FormError error={add.error} fields={GRANT_FIELDS} />
        <GrantFields
          draft={draft}
          required
          error={add.error}
          onChange={(next) => {
            setDraft(next);
            add.reset();
          }}
        />
        <Group gap="sm">
          <Button type="submit" loading={add.isPending} disabled={draft.capability === null}>
            Add the grant
          </Button>
          <Button variant="default" onClick={onClose}>
            Leave it
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

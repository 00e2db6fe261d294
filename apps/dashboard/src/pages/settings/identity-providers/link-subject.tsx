import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { LinkIdentity } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { type FormEvent, useState } from 'react';
import { atField } from '../../../app/field-errors.js';
import { MEMBERS } from '../../../app/members.js';
import { may, useMe } from '../../../app/session.js';
import { FormError } from '../../../parts/form-error.js';

interface LinkSubjectProps {
  readonly pending: boolean;
  readonly error: unknown;
  readonly onSubmit: (value: LinkIdentity) => void;
}

/** Another person links themselves: nobody is made somebody else. */
export function LinkSubject({ pending, error, onSubmit }: LinkSubjectProps) {
  const me = useMe();
  const members = useQuery({ ...MEMBERS, enabled: may(me, 'access.manage') });
  const [subject, setSubject] = useState('');
  const [principal, setPrincipal] = useState(me.principal.id);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit({ subject: subject.trim(), ...(principal !== me.principal.id && { principal_id: principal }) });
  };
  const others = (members.data ?? []).filter(({ kind, disabled }) => kind !== 'human' && !disabled);
  const fields = ['/subject', '/principal_id'];
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Subject"
          description="As its tokens name it, exactly."
          required
          data-autofocus
          maxLength={255}
          value={subject}
          error={atField(error, '/subject')}
          onChange={({ currentTarget }) => setSubject(currentTarget.value)}
        />
        <Select
          label="Is"
          description="You, an agent or a service. Other people link themselves."
          allowDeselect={false}
          searchable
          data={[
            { value: me.principal.id, label: 'you' },
            ...others.map(({ id, name, kind }) => ({ value: id, label: escapeInvisible(`${name} (${kind})`) })),
          ]}
          value={principal}
          error={atField(error, '/principal_id')}
          onChange={(value) => value && setPrincipal(value)}
        />
        <FormError error={error} fields={fields} />
        <Group justify="flex-end">
          <Button type="submit" loading={pending}>
            Link
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

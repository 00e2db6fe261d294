import { Button, Checkbox, Group, Stack, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type CreateWebhook, WEBHOOK_EVENT_TYPES } from '@hcp/contracts';
import { type FormEvent, useState } from 'react';
import { atField } from '../../../app/field-errors.js';
import { FormError } from '../../../parts/form-error.js';
import { COMMANDS } from '../../commands/queries.js';
import { EVENT_WORDS } from './words.js';

interface WebhookFormProps {
  readonly value: CreateWebhook;
  readonly submit: string;
  readonly pending: boolean;
  readonly error: unknown;
  readonly onSubmit: (value: CreateWebhook) => void;
}

/** Where messages go, and of what. */
export function WebhookForm({ value, submit, pending, error, onSubmit }: WebhookFormProps) {
  const commands = useQuery(COMMANDS);
  const [url, setUrl] = useState(value.url);
  const [description, setDescription] = useState(value.description ?? '');
  const [events, setEvents] = useState<readonly string[]>(value.events);
  const [packs, setPacks] = useState(value.pack_ids ?? []);
  const [none, setNone] = useState(false);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    const chosen = WEBHOOK_EVENT_TYPES.filter((type) => events.includes(type));
    setNone(chosen.length === 0);
    if (chosen.length > 0) onSubmit({ url: url.trim(), description, events: chosen, pack_ids: packs });
  };
  const fields = ['/url', '/description', '/events', '/pack_ids'];
  return (
    <form onSubmit={send}>
      <Stack>
        <TextInput
          label="Address"
          description="https on a public address; a private one only where the operator allows it."
          placeholder="https://example.com/hooks/hcp"
          required
          data-autofocus
          maxLength={2000}
          value={url}
          error={atField(error, '/url')}
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
        />
        <TextInput
          label="Description"
          maxLength={200}
          value={description}
          error={atField(error, '/description')}
          onChange={({ currentTarget }) => setDescription(currentTarget.value)}
        />
        <Checkbox.Group
          label="It is told when"
          withAsterisk
          value={[...events]}
          onChange={setEvents}
          error={none ? 'Choose at least one.' : atField(error, '/events')}
        >
          <Stack gap="xs" mt="xs">
            {WEBHOOK_EVENT_TYPES.map((type) => (
              <Checkbox key={type} value={type} label={EVENT_WORDS[type]} description={type} />
            ))}
          </Stack>
        </Checkbox.Group>
        <TagsInput
          label="Only of these packs"
          description="None: of every pack."
          data={[...new Set(commands.data?.map(({ pack_id }) => pack_id))]}
          value={packs}
          error={atField(error, '/pack_ids')}
          onChange={setPacks}
        />
        <FormError error={error} fields={fields} />
        <Group justify="flex-end">
          <Button type="submit" loading={pending}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

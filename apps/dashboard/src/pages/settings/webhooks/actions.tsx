import { Button, Group, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { CreateWebhook, Webhook } from '@hcp/contracts';
import { useState } from 'react';
import { api } from '../../../app/api.js';
import { queryClient } from '../../../app/queries.js';
import { Ask } from '../../../parts/ask.js';
import { Dialog } from '../../../parts/dialog.js';
import { WebhookForm } from './form.js';
import { webhookOf, webhooksChanged } from './queries.js';

type Act = 'edit' | 'secret' | 'off' | 'remove';

interface WebhookActionsProps {
  readonly webhook: Webhook;
  readonly onSecret: (secret: string) => void;
}

export function WebhookActions({ webhook, onSecret }: WebhookActionsProps) {
  const { id, enabled } = webhook;
  const navigate = useNavigate();
  const [open, setOpen] = useState<Act | null>(null);
  const close = (): void => setOpen(null);
  const edit = useMutation({
    mutationFn: async (value: CreateWebhook) => {
      await api.webhooks.update(id, value);
      await webhooksChanged();
    },
    onSuccess: close,
  });
  const turn = async (on: boolean): Promise<void> => {
    await api.webhooks.update(id, { enabled: on });
    await webhooksChanged();
  };
  const on = useMutation({ mutationFn: () => turn(true) });
  const rotate = async (): Promise<void> => {
    onSecret((await api.webhooks.rotateSecret(id)).secret);
    await webhooksChanged();
  };
  const remove = async (): Promise<void> => {
    await api.webhooks.delete(id);
    await navigate({ to: '/settings/webhooks' });
    queryClient.removeQueries({ queryKey: webhookOf(id).queryKey });
    await webhooksChanged();
  };
  return (
    <Group gap="xs">
      {enabled ? (
        <Button variant="default" onClick={() => setOpen('off')}>
          Switch off
        </Button>
      ) : (
        <Button loading={on.isPending} onClick={() => on.mutate()}>
          Switch on
        </Button>
      )}
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <Button variant="default">More</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setOpen('edit')}>Edit</Menu.Item>
          <Menu.Item onClick={() => setOpen('secret')}>Make a new secret</Menu.Item>
          <Menu.Item color="red" onClick={() => setOpen('remove')}>
            Remove
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Dialog
        opened={open === 'edit'}
        onClose={() => {
          edit.reset();
          close();
        }}
        title="Edit the webhook"
      >
        <WebhookForm
          value={webhook}
          submit="Save"
          pending={edit.isPending}
          error={edit.error}
          onSubmit={(value) => edit.mutate(value)}
        />
      </Dialog>
      <Ask opened={open === 'secret'} onClose={close} title="Make a new secret?" yes="Make a new secret" act={rotate}>
        It is shown once. For 24 hours messages are signed with both, then with the new one alone.
      </Ask>
      <Ask
        opened={open === 'off'}
        onClose={close}
        title="Switch this webhook off?"
        yes="Switch it off"
        danger
        act={() => turn(false)}
      >
        Messages that wait for it are given up; you can send each again once it is on.
      </Ask>
      <Ask
        opened={open === 'remove'}
        onClose={close}
        title="Remove this webhook?"
        yes="Remove the webhook"
        danger
        act={remove}
      >
        The endpoint is told nothing more, and the list of what it was told goes with it.
      </Ask>
    </Group>
  );
}

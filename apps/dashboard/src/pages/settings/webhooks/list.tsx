import { Badge, Button, Paper, Table, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import type { CreateWebhook, Webhook } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../../app/api.js';
import { Dialog } from '../../../parts/dialog.js';
import { Empty } from '../../../parts/empty.js';
import { TextLink } from '../../../parts/link.js';
import { Listed } from '../../../parts/listed.js';
import { Page } from '../../../parts/page.js';
import { ShownOnce } from '../../../parts/shown-once.js';
import { only } from '../only.js';
import { WebhookForm } from './form.js';
import { webhookPages, webhooksChanged } from './queries.js';
import { webhookState } from './words.js';

const FRESH: CreateWebhook = { url: '', events: ['approval.requested', 'approval.decided'] };

/** Addresses of the tenant's own that are told what happens. */
export const WebhookList = only('tenant.manage', 'Webhooks', function WebhookList() {
  const query = useInfiniteQuery(webhookPages);
  const [opened, setOpened] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const create = useMutation({
    // The secret stays out of the cache of mutations: it is in this page's state alone, and only until it is stored.
    mutationFn: async (value: CreateWebhook) => {
      const created = await api.webhooks.create(value);
      setSecret(created.secret);
      await webhooksChanged();
    },
    onSuccess: () => setOpened(false),
  });
  const close = (): void => {
    create.reset();
    setOpened(false);
  };
  const add = <Button onClick={() => setOpened(true)}>Add a webhook</Button>;
  return (
    <Page title="Webhooks" about="Addresses of yours that are told what happens, in signed messages." actions={add}>
      {secret !== null && (
        <ShownOnce
          title="The webhook is added: store its secret"
          secret={secret}
          next="The endpoint verifies each message with it. If you lose it, make a new one on the webhook’s page."
          onDone={() => setSecret(null)}
        />
      )}
      <Listed
        query={query}
        empty={
          <Empty title="There is no webhook yet">
            Add the address of an endpoint of yours, choose what it is told of, and store its secret there. Then send it
            a test message.
          </Empty>
        }
      >
        {(webhooks) => <Rows webhooks={webhooks} />}
      </Listed>
      <Dialog opened={opened} onClose={close} title="Add a webhook">
        <WebhookForm
          value={FRESH}
          submit="Add the webhook"
          pending={create.isPending}
          error={create.error}
          onSubmit={(value) => create.mutate(value)}
        />
      </Dialog>
    </Page>
  );
});

function Rows({ webhooks }: { webhooks: readonly Webhook[] }) {
  return (
    <Paper withBorder>
      <Table aria-label="Webhooks">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Address</Table.Th>
            <Table.Th className="hcp-wide">Is told of</Table.Th>
            <Table.Th>State</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {webhooks.map((webhook) => {
            const { color, label } = webhookState(webhook);
            return (
              <Table.Tr key={webhook.id}>
                <Table.Td>
                  <TextLink to="/settings/webhooks/$id" params={{ id: webhook.id }} className="hcp-value">
                    {escapeInvisible(webhook.url)}
                  </TextLink>
                  {webhook.description !== '' && (
                    <Text size="xs" c="dimmed" className="hcp-value">
                      {escapeInvisible(webhook.description)}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td className="hcp-wide">{webhook.events.join(', ')}</Table.Td>
                <Table.Td>
                  <Badge variant="light" color={color}>
                    {label}
                  </Badge>
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

import { Badge, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Webhook } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { exactMoment, moment } from '../../../app/format.js';
import { TextLink } from '../../../parts/link.js';
import { Loaded } from '../../../parts/loading.js';
import { Page } from '../../../parts/page.js';
import { ShownOnce } from '../../../parts/shown-once.js';
import { only } from '../only.js';
import { WebhookActions } from './actions.js';
import { Deliveries } from './deliveries.js';
import { webhookOf } from './queries.js';
import { TestMessage } from './test-message.js';
import { EVENT_WORDS, webhookState } from './words.js';

const route = getRouteApi('/settings/webhooks/$id');

export const WebhookPage = only('tenant.manage', 'Webhook', function WebhookPage() {
  const { id } = route.useParams();
  const query = useQuery(webhookOf(id));
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Page
      title="Webhook"
      about={<TextLink to="/settings/webhooks">All webhooks</TextLink>}
      actions={query.data && <WebhookActions webhook={query.data} onSecret={setSecret} />}
    >
      {secret !== null && (
        <ShownOnce
          title="The new secret"
          secret={secret}
          next="Put it into the endpoint within 24 hours: until then messages are signed with the one before as well."
          onDone={() => setSecret(null)}
        />
      )}
      <Loaded query={query}>
        {(webhook) => (
          <>
            <Facts webhook={webhook} />
            {webhook.enabled && <TestMessage id={webhook.id} />}
            <Deliveries webhook={webhook} />
          </>
        )}
      </Loaded>
    </Page>
  );
});

function Facts({ webhook }: { webhook: Webhook }) {
  const { url, description, events, pack_ids, old_secret_until, created_at } = webhook;
  const { color, label } = webhookState(webhook);
  return (
    <Paper withBorder p="lg" component="section" aria-label="The webhook">
      <Stack gap="xs">
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <Text fw={600} className="hcp-value">
            {escapeInvisible(url)}
          </Text>
          <Badge variant="light" color={color}>
            {label}
          </Badge>
        </Group>
        {description !== '' && <Text className="hcp-value">{escapeInvisible(description)}</Text>}
        <Text size="sm">
          It is told of {pack_ids.length === 0 ? 'every pack' : pack_ids.join(', ')} when:{' '}
          {events.map((event) => EVENT_WORDS[event].toLowerCase()).join('; ')}.
        </Text>
        {old_secret_until !== null && (
          <Text size="sm">Until {exactMoment(old_secret_until)} the secret before this one signs as well.</Text>
        )}
        <Text size="sm" c="dimmed">
          Added {moment(created_at)}
        </Text>
      </Stack>
    </Paper>
  );
}

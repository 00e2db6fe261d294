import { Button, Group, Paper, SegmentedControl, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { escapeInvisible } from '@hcp/core';
import type { Approval } from '@hcp/contracts';
import { useState } from 'react';
import { moment } from '../../app/format.js';
import { useNames } from '../../app/names.js';
import { Countdown } from '../../parts/countdown.js';
import { Empty } from '../../parts/empty.js';
import { ErrorBox } from '../../parts/error-box.js';
import { TextLink } from '../../parts/link.js';
import { Loading } from '../../parts/loading.js';
import { Page } from '../../parts/page.js';
import { approvalPages } from './queries.js';
import { ApprovalBadge } from './state-badge.js';

type Shown = 'pending' | 'all';

export function Inbox() {
  const [shown, setShown] = useState<Shown>('pending');
  const list = useInfiniteQuery(approvalPages(shown === 'pending' ? 'pending' : undefined));
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Page
      title="Approvals"
      about="Calls that wait for a person’s yes. Nothing of them has run yet."
      actions={
        <SegmentedControl
          aria-label="Which requests"
          value={shown}
          onChange={(value) => setShown(value)}
          data={[
            { value: 'pending', label: 'Waiting' },
            { value: 'all', label: 'All' },
          ]}
        />
      }
    >
      {list.isError && <ErrorBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && items.length === 0 && <Nothing shown={shown} />}
      <Stack gap="sm" component="ul" className="hcp-list" aria-label="Requests">
        {items.map((approval) => (
          <li key={approval.id}>
            <Row approval={approval} />
          </li>
        ))}
      </Stack>
      {list.hasNextPage && (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Page>
  );
}

function Nothing({ shown }: { shown: Shown }) {
  return (
    <Empty title={shown === 'pending' ? 'Nothing waits for you' : 'Nobody has asked yet'}>
      When somebody, or an agent, runs a command that needs a person’s yes, it appears here by itself.
    </Empty>
  );
}

function Row({ approval }: { approval: Approval }) {
  const name = useNames();
  const { id, card, pack_id, verb_key, state, principal_id, principal_kind, acts_for, created_at } = approval;
  const asks = acts_for === null ? '' : ` for ${name(acts_for, 'human')}`;
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="sm">
        <Stack gap={4} miw={0}>
          <TextLink to="/approvals/$id" params={{ id }} fw={600} className="hcp-value">
            {card ? escapeInvisible(card.view.title) : `${pack_id} ${verb_key}`}
          </TextLink>
          <Text size="sm" c="dimmed" className="hcp-value">
            {pack_id} {verb_key} · asked by {name(principal_id, principal_kind)}
            {asks} · {moment(created_at)}
          </Text>
          {card && card.view.signals.length > 0 && (
            <Text size="sm">{card.view.signals.map(({ text }) => escapeInvisible(text)).join(' · ')}</Text>
          )}
        </Stack>
        <Stack gap={4} align="flex-end" className="hcp-fixed">
          <ApprovalBadge state={state} />
          {state === 'pending' && (
            <Text size="sm" c="dimmed">
              <Countdown until={approval.pending_expires_at} /> left
            </Text>
          )}
        </Stack>
      </Group>
    </Paper>
  );
}

import { SegmentedControl, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Empty } from '../../parts/empty.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Loading } from '../../parts/loading.js';
import { More } from '../../parts/more.js';
import { Page } from '../../parts/page.js';
import { approvalPages } from './queries.js';
import { ApprovalRow } from './row.js';

type Shown = 'pending' | 'all';

export function Inbox() {
  const [shown, setShown] = useState<Shown>('pending');
  const list = useInfiniteQuery(approvalPages(shown === 'pending' ? 'pending' : undefined));
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Page
      title="Approvals"
      about={
        shown === 'pending'
          ? 'Calls that wait for a person’s yes. Nothing of them has run yet.'
          : 'Every request for a person’s yes, newest first, and what became of it.'
      }
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
            <ApprovalRow approval={approval} />
          </li>
        ))}
      </Stack>
      {list.hasNextPage && <More loading={list.isFetchingNextPage} onReached={() => void list.fetchNextPage()} />}
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

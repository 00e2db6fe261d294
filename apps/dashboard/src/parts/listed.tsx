import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { Page } from '@hcp/contracts';
import type { ReactNode } from 'react';
import { ErrorBox } from './error-box.js';
import { Loading } from './loading.js';
import { More } from './more.js';

interface ListedProps<T> {
  readonly query: UseInfiniteQueryResult<InfiniteData<Page<T>>>;
  /** What is shown where there is nothing. */
  readonly empty: ReactNode;
  readonly children: (items: T[]) => ReactNode;
}

/** A list that comes page by page: loading, nothing there, what went wrong, and what there is. */
export function Listed<T>({ query, empty, children }: ListedProps<T>) {
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {query.isError && <ErrorBox error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {query.data && items.length === 0 && !query.hasNextPage && empty}
      {items.length > 0 && children(items)}
      {query.hasNextPage && <More loading={query.isFetchingNextPage} onReached={() => void query.fetchNextPage()} />}
    </>
  );
}

import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { Page } from '@hcp/contracts';
import type { ReactNode } from 'react';
import { ErrorBox } from './error-box.js';
import { Loading } from './loading.js';
import { More } from './more.js';

export interface PagedProps<T> {
  readonly list: UseInfiniteQueryResult<InfiniteData<Page<T>>>;
  /** Where there is nothing. */
  readonly empty: ReactNode;
  readonly children: (items: readonly T[]) => ReactNode;
}

/** A list that comes page by page, or what became of it. */
export function Paged<T>({ list, empty, children }: PagedProps<T>) {
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {list.isError && <ErrorBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && items.length === 0 && !list.hasNextPage && empty}
      {items.length > 0 && children(items)}
      {list.hasNextPage && <More loading={list.isFetchingNextPage} onReached={() => void list.fetchNextPage()} />}
    </>
  );
}

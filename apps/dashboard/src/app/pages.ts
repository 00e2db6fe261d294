import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query';
import type { Page, PageQuery } from '@hcp/contracts';
import { items } from '@hcp/sdk';

const PAGE = 50;

/** A list of which as many pages are fetched as somebody scrolls to. */
export const pagesOf = <T>(queryKey: QueryKey, list: (query: PageQuery) => Promise<Page<T>>, limit = PAGE) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam }) => list({ limit, ...(pageParam !== '' && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }: Page<T>) => next_cursor,
  });

/** All of a list that is short by its nature: what one principal has, what a person chooses from. */
export async function allOf<T>(list: (query: PageQuery) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of items((query) => list({ limit: 200, ...query }))) all.push(each);
  return all;
}

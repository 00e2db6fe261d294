import { Center, Loader } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorBox } from './error-box.js';

export function Loading() {
  return (
    <Center p="xl">
      <Loader aria-label="Loading" />
    </Center>
  );
}

/** What a query brought, or what became of it. What was there already stays in sight when it fails later. */
export function Loaded<T>({ query, children }: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) {
    return (
      <>
        {query.isRefetchError && <ErrorBox error={query.error} retry={() => void query.refetch()} />}
        {children(query.data)}
      </>
    );
  }
  if (query.isError) return <ErrorBox error={query.error} retry={() => void query.refetch()} />;
  return <Loading />;
}

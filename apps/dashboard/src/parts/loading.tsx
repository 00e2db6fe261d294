import { Center, Loader } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorBox } from './error-box.js';

export function Loading() {
  return (
    <Center p="xl">
      <Loader role="progressbar" aria-label="Loading" />
    </Center>
  );
}

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  /** A way on from what is not there, instead of another try. */
  readonly back?: ReactNode;
  readonly children: (data: T) => ReactNode;
}

/** What a query brought, or what became of it. What was there already stays in sight when it fails later. */
export function Loaded<T>({ query, back, children }: LoadedProps<T>) {
  if (query.data !== undefined) {
    return (
      <>
        {query.isRefetchError && <ErrorBox error={query.error} retry={() => void query.refetch()} />}
        {children(query.data)}
      </>
    );
  }
  if (query.isError) return <ErrorBox error={query.error} retry={() => void query.refetch()} back={back} />;
  return <Loading />;
}

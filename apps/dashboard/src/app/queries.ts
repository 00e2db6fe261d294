import { QueryCache, MutationCache, QueryClient } from '@tanstack/react-query';
import { HcpError } from '@hcp/sdk';

/** Who is signed in; null where nobody is, or where the session has ended. */
export const ME = ['me'] as const;

/** The session ended: whatever was on the page is not this person's any more. */
export function forgetSession(): void {
  // What was given and answered lately: arguments, outcomes.
  queryClient.getMutationCache().clear();
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME[0] });
  queryClient.setQueryData(ME, null);
}

/** After any failed call: whether it failed because the session is over. A password or link that is not good says nothing of it. */
export const onError = (error: unknown): void => {
  if (error instanceof HcpError && error.status === 401 && error.code !== 'invalid_credentials') forgetSession();
};

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      // What changes is told by the stream of events.
      staleTime: 30_000,
      // An id that is none is refused before it is sent; asking again would not help.
      retry: (count, error) =>
        count < 2 && error instanceof HcpError && (error.code === 'network' || error.status >= 500),
    },
    mutations: { retry: false },
  },
});

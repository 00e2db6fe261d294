import { Center, Loader } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { HcpError } from '@hcp/sdk';
import type { Me } from '@hcp/contracts';
import type { Capability } from '@hcp/core';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { api } from './api.js';
import { ME } from './queries.js';
import { ErrorBox } from '../parts/error-box.js';
import { SignIn } from '../pages/sign-in.js';

const MeContext = createContext<Me | null>(null);

/** The person who is signed in. */
export function useMe(): Me {
  const me = useContext(MeContext);
  if (me === null) throw new Error('nobody is signed in here');
  return me;
}

/** Whether this person may at all; the API decides each call. For what is offered, never for what is allowed. */
export function may(me: Me, capability: Capability): boolean {
  return me.grants.every((layer) => layer.some((grant) => grant.capability === capability));
}

async function whoAmI(): Promise<Me | null> {
  try {
    return await api.auth.me();
  } catch (error) {
    if (error instanceof HcpError && error.status === 401) return null;
    throw error;
  }
}

/** Who is signed in, also on pages that need nobody. */
export const WHO = queryOptions({ queryKey: ME, queryFn: whoAmI, staleTime: Infinity });

/** Shows the sign-in until somebody is, and again when the session has ended. */
export function SessionGate({ children }: { children: ReactNode }) {
  const me = useQuery(WHO);
  // Set while rendering, as React has it for what depends on what was shown before.
  const [was, setWas] = useState(false);
  if (me.data && !was) setWas(true);

  if (me.isError) {
    return (
      <Center mih="100vh" p="md">
        <ErrorBox error={me.error} retry={() => void me.refetch()} />
      </Center>
    );
  }
  if (me.data === undefined) {
    return (
      <Center mih="100vh">
        <Loader role="progressbar" aria-label="Loading" />
      </Center>
    );
  }
  if (me.data === null) return <SignIn ended={was} />;
  return <MeContext value={me.data}>{children}</MeContext>;
}

import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { Binding } from '@hcp/contracts';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { queryClient } from '../../app/queries.js';
import { Ask } from '../../parts/ask.js';
import { bindingQuery, bindingsChanged } from './queries.js';

/** Takes a credential away, and then the binding itself, so that a wider one may step in. */
export function Revoke({ binding: { id, pack_id, state, principal_id, project_id, kind } }: { binding: Binding }) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState<'revoke' | 'forget' | null>(null);
  const close = (): void => setAsking(null);
  const revoke = async (): Promise<void> => {
    await api.bindings.revoke(id);
    await bindingsChanged();
  };
  const forget = async (): Promise<void> => {
    await api.bindings.revoke(id, { forget: true });
    await navigate({ to: '/bindings' });
    queryClient.removeQueries({ queryKey: bindingQuery(id).queryKey });
    await bindingsChanged();
  };
  const wider = principal_id !== null || project_id !== null;
  return (
    <>
      {state !== 'revoked' && (
        <Button color="red" variant="light" onClick={() => setAsking('revoke')}>
          Revoke
        </Button>
      )}
      {state === 'revoked' && (
        <Button color="red" variant="light" onClick={() => setAsking('forget')}>
          Forget
        </Button>
      )}
      <Ask
        opened={asking === 'revoke'}
        onClose={close}
        title={`Revoke this binding of ${pack_id}?`}
        yes="Revoke"
        danger
        act={revoke}
      >
        {kind === 'workload_token' ? 'No run is lent a token any more' : 'The stored credential is erased for good'}
        {kind.startsWith('oauth2') && ', and the provider is told to forget it'}. Runs that have not begun are refused,
        until it is connected anew.
      </Ask>
      <Ask
        opened={asking === 'forget'}
        onClose={close}
        title={`Forget this binding of ${pack_id}?`}
        yes="Forget"
        danger
        act={forget}
      >
        {wider
          ? 'From now on commands may run with a wider credential in its place, such as one that is shared by everyone.'
          : 'It is no longer listed. Commands that need it are refused, as if it had never been connected.'}
      </Ask>
    </>
  );
}

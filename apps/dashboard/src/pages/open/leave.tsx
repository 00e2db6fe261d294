import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAct } from '../../app/act.js';
import { api } from '../../app/api.js';
import { WHO } from '../../app/session.js';
import { ErrorBox } from '../../parts/error-box.js';
import { escapeInvisible } from '@hcp/core';

/** To the sign-in; who is signed in now is signed out first, or goes on. */
export function Leave({ children }: { children: ReactNode }) {
  const me = useQuery(WHO).data;
  const leave = useAct(async () => {
    if (me) await api.auth.browser.signOut();
    location.replace('/');
  });
  return (
    <>
      {leave.error !== null && <ErrorBox error={leave.error} />}
      <Button loading={leave.busy} onClick={() => leave.run()}>
        {children}
      </Button>
      {me && (
        <Button variant="default" component="a" href="/">
          Go on as {escapeInvisible(me.principal.name)}
        </Button>
      )}
    </>
  );
}

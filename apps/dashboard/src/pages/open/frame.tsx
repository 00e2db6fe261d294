import { Alert, Center, Paper, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { escapeInvisible } from '@hcp/core';
import { type ReactNode, useEffect } from 'react';
import { WHO } from '../../app/session.js';

/** A page without the navigation. Says who is signed in, where somebody is: it may be another person. */
export function Frame({ title, children }: { title: string; children: ReactNode }) {
  const me = useQuery(WHO).data;
  useEffect(() => {
    document.title = `${title} · HCP`;
  }, [title]);
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w="100%" maw={440}>
        <Stack>
          <Title order={1} size="h2">
            {title}
          </Title>
          {me && (
            <Alert color="blue" variant="light" role="note" className="hcp-value">
              In this browser {escapeInvisible(me.principal.name)} is signed in, at {escapeInvisible(me.tenant.name)}.
              What you do here is for whom the link is.
            </Alert>
          )}
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}

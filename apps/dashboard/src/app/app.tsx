import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Loading } from '../parts/loading.js';
import { openPage } from './open-address.js';
import { queryClient } from './queries.js';
import { router } from './router.js';
import { SessionGate } from './session.js';
import { theme } from './theme.js';

const OpenPages = lazy(() => import('../pages/open/open.js'));

/** Nobody sees a page before they have signed in, but those that links in mails lead to; the address stays, so that a new sign-in leads back to it. */
export function App() {
  const open = openPage();
  return (
    // Styles come from files alone: the content security policy refuses `<style>`.
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queryClient}>
        {open === null ? (
          <SessionGate>
            <RouterProvider router={router} />
          </SessionGate>
        ) : (
          <Suspense fallback={<Loading />}>
            <OpenPages page={open} />
          </Suspense>
        )}
      </QueryClientProvider>
    </MantineProvider>
  );
}

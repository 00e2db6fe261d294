import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { queryClient } from './queries.js';
import { router } from './router.js';
import { SessionGate } from './session.js';
import { theme } from './theme.js';

/** Nobody sees a page before they have signed in; the address stays, so that a new sign-in leads back to it. */
export function App() {
  return (
    // Styles come from files alone: the content security policy refuses `<style>`.
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queryClient}>
        <SessionGate>
          <RouterProvider router={router} />
        </SessionGate>
      </QueryClientProvider>
    </MantineProvider>
  );
}

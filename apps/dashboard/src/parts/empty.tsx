import { Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Nothing here yet: says so, and what to do first. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="xs" ta="center">
        <Text fw={600}>{title}</Text>
        {children !== undefined && (
          <Text c="dimmed" size="sm" maw={520}>
            {children}
          </Text>
        )}
        {action}
      </Stack>
    </Paper>
  );
}

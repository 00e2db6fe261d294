import { Alert, Button, Stack, Text } from '@mantine/core';
import { HcpError } from '@hcp/sdk';
import { wordsFor } from '../app/errors.js';

/** What happened and what next. */
export function ErrorBox({ error, retry, title }: { error: unknown; retry?: () => void; title?: string }) {
  const words = wordsFor(error);
  const details = error instanceof HcpError ? (error.problem?.errors ?? []) : [];
  return (
    <Alert color="red" variant="light" role="alert" title={title ?? words.title}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{words.next}</Text>
        {details.length > 0 && (
          <ul>
            {details.map(({ path, message }) => (
              <li key={path}>
                <Text size="sm" span>
                  {path} {message}
                </Text>
              </li>
            ))}
          </ul>
        )}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

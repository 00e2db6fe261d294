import { Alert, Button, Stack, Text } from '@mantine/core';
import { HcpError } from '@hcp/sdk';
import type { ReactNode } from 'react';
import { wordsFor } from '../app/errors.js';

interface ErrorBoxProps {
  readonly error: unknown;
  readonly retry?: () => void;
  readonly title?: string;
  /** Where to go from what is not there: to try again finds it no more. */
  readonly back?: ReactNode;
}

/** What happened and what next. */
export function ErrorBox({ error, retry, title, back }: ErrorBoxProps) {
  const words = wordsFor(error);
  const gone = back !== undefined && error instanceof HcpError && error.code === 'not_found';
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
        {gone && back}
        {retry && !gone && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';

export interface ShownOnceProps {
  /** What it is, as a heading. */
  readonly title: string;
  readonly secret: string;
  /** Where to put it, and what to do once it is lost. */
  readonly next: string;
  readonly onDone: () => void;
}

/**
 * A secret that nothing can show again. It lives in the caller's state alone: never in a cache, an address or the storage
 * of the browser, and it is gone with `onDone`.
 */
export function ShownOnce({ title, secret, next, onDone }: ShownOnceProps) {
  return (
    <Alert color="yellow" variant="light" title={title} role="status">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">This is shown once. {next}</Text>
        <Code block className="hcp-code">
          {secret}
        </Code>
        <Group gap="xs">
          <CopyButton value={secret}>
            {({ copied, copy }) => (
              <Button size="xs" onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
          <Button size="xs" variant="default" onClick={onDone}>
            I have stored it
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

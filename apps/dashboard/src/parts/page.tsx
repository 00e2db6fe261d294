import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

export interface PageProps {
  readonly title: string;
  /** One line that says what this page is for. */
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page: its heading takes the focus when one comes to it, so that a keyboard and a screen reader start there. */
export function Page({ title, about, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · HCP`;
  }, [title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={4} miw={0}>
          <Title order={1} size="h2" ref={heading} tabIndex={-1} className="hcp-heading">
            {title}
          </Title>
          {about !== undefined && <Text c="dimmed">{about}</Text>}
        </Stack>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}

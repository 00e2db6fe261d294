import { Button, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorBox } from './error-box.js';

export interface AskProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** A question. */
  readonly title: string;
  /** What comes of a yes. */
  readonly children: ReactNode;
  /** The act, as a verb. */
  readonly yes: string;
  /** Not to do it, in words that cannot be taken for the act. */
  readonly no?: string;
  readonly danger?: boolean;
  readonly act: () => Promise<unknown>;
  /** What a refusal means, as a heading. */
  readonly refused?: string;
}

/** Asks before it does what cannot be taken back, or what changes what others may do. */
export function Ask({
  opened,
  onClose,
  title,
  children,
  yes,
  no = 'Leave it',
  danger = false,
  act,
  refused,
}: AskProps) {
  const doing = useMutation({ mutationFn: act, onSuccess: onClose });
  const close = (): void => {
    doing.reset();
    onClose();
  };
  const heading = (
    <Title order={2} size="h4">
      {title}
    </Title>
  );
  return (
    <Modal opened={opened} onClose={close} title={heading}>
      <Stack>
        <Text component="div">{children}</Text>
        {doing.isError && <ErrorBox error={doing.error} {...(refused !== undefined && { title: refused })} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {no}
          </Button>
          <Button {...(danger && { color: 'red' })} loading={doing.isPending} onClick={() => doing.mutate()}>
            {yes}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

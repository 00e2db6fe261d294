import { Modal, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export interface DialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
}

/** A form over the page. What is inside starts afresh each time it opens. */
export function Dialog({ opened, onClose, title, children }: DialogProps) {
  const heading = (
    <Title order={2} size="h4">
      {title}
    </Title>
  );
  return (
    <Modal opened={opened} onClose={onClose} title={heading} size="lg">
      {opened && children}
    </Modal>
  );
}

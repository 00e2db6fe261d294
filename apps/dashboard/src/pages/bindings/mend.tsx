import { Alert, Button, Modal, Text, Title } from '@mantine/core';
import type { Binding } from '@hcp/contracts';
import { type ReactNode, useState } from 'react';
import { flushSync } from 'react-dom';
import { api } from '../../app/api.js';
import { Ask } from '../../parts/ask.js';
import { ButtonLink } from '../../parts/link.js';
import { Connecting } from './connecting.js';
import { bindingsChanged } from './queries.js';
import { Rotate } from './rotate.js';
import { toMend } from './words.js';

export interface Mending {
  readonly open: (binding: Binding) => void;
  /** What it takes, and what came of it: they stay when the binding's own row does not. */
  readonly shown: ReactNode;
}

const DONE: Record<Binding['kind'], string> = {
  secret: 'The new secret is stored. Runs that begin from now on have it.',
  oauth2_code: 'The account is connected again. Runs that begin from now on have it.',
  oauth2_client_credentials: 'There is a new token. Runs that begin from now on have it.',
  workload_token: '',
};

/** Gives bindings what they need to be good, or good again: a new account, a new secret or a new token, by their kind. */
export function useMending(): Mending {
  const [state, setState] = useState<{ binding: Binding; opened: boolean } | null>(null);
  const [mended, setMended] = useState<Binding | null>(null);
  const close = (): void => setState((now) => now && { ...now, opened: false });
  const open = (binding: Binding): void => {
    setMended(null);
    // There before it opens: only then does it know where the focus came from, and give it back.
    flushSync(() => setState({ binding, opened: false }));
    setState({ binding, opened: true });
  };
  return {
    open,
    shown: (
      <>
        {mended && (
          <Alert
            color="green"
            variant="light"
            role="status"
            title={mended.pack_id}
            withCloseButton
            closeButtonLabel="Close"
            onClose={() => setMended(null)}
          >
            {DONE[mended.kind]}
          </Alert>
        )}
        {state && (
          <Dialog key={state.binding.id} {...state} onClose={close} onMended={() => setMended(state.binding)} />
        )}
      </>
    ),
  };
}

interface DialogProps {
  readonly binding: Binding;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onMended: () => void;
}

function Dialog({ binding, opened, onClose, onMended }: DialogProps) {
  const { id, pack_id, kind, project_id, principal_id, family } = binding;
  const done = (): void => {
    onMended();
    onClose();
  };
  const heading = (text: string) => (
    <Title order={2} size="h4">
      {text}
    </Title>
  );
  if (kind === 'oauth2_code') {
    const wanted = {
      pack_id,
      family,
      ...(project_id !== null && { project_id }),
      ...(principal_id === null && { shared: true }),
    };
    return (
      <Modal opened={opened} onClose={onClose} title={heading(`Reconnect ${pack_id}`)}>
        <Connecting wanted={wanted} onDone={done} />
      </Modal>
    );
  }
  if (kind === 'secret') {
    return (
      <Modal opened={opened} onClose={onClose} title={heading(`Rotate the secret for ${pack_id}`)}>
        <Rotate binding={binding} onDone={done} />
      </Modal>
    );
  }
  return (
    <Ask
      opened={opened}
      onClose={onClose}
      title={`Ask for a new token for ${pack_id}?`}
      yes="Ask for a new token"
      act={async () => {
        await api.bindings.rotate(id, {});
        onMended();
        await bindingsChanged();
      }}
    >
      <Text span>The provider is asked at once. Approvals that were given for the one before count no more.</Text>
    </Ask>
  );
}

interface MendProps {
  readonly binding: Binding;
  readonly mending: Mending;
  readonly size?: 'xs' | 'sm';
}

/** The one click that begins it. */
export function Mend({ binding, mending, size = 'sm' }: MendProps) {
  const { pack_id, kind, project_id, principal_id, state } = binding;
  if (state === 'revoked') {
    const search = {
      pack: pack_id,
      ...(project_id !== null && { project: project_id }),
      ...(principal_id === null && { shared: true }),
    };
    return (
      <ButtonLink to="/bindings/connect" search={search} size={size}>
        Connect anew
      </ButtonLink>
    );
  }
  // Nothing of it is stored that could be given anew.
  if (kind === 'workload_token') return null;
  const label = kind === 'oauth2_code' ? 'Reconnect' : 'Rotate';
  return (
    <Button
      size={size}
      variant={toMend(binding) ? 'filled' : 'default'}
      aria-label={`${label} ${pack_id}`}
      onClick={() => mending.open(binding)}
    >
      {label}
    </Button>
  );
}

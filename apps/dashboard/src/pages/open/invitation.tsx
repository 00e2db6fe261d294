import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { INVITATION_HOURS } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { HcpError } from '@hcp/sdk';
import { type FormEvent, useState } from 'react';
import { useAct } from '../../app/act.js';
import { api } from '../../app/api.js';
import { atField } from '../../app/field-errors.js';
import { forgetLinkToken, useLinkToken } from '../../app/open-address.js';
import { WHO } from '../../app/session.js';
import { FormError } from '../../parts/form-error.js';
import { Frame } from './frame.js';
import { Leave } from './leave.js';
import { NewPassword } from './new-password.js';

const TITLE = 'You are invited';

/** Where the link of an invitation leads: one chooses a name and a password, and is a member. */
export function Invitation() {
  const token = useLinkToken();
  const [joined, setJoined] = useState<string | null>(null);
  if (joined !== null) {
    return (
      <Frame title="You are a member">
        <Text className="hcp-value">Sign in as {escapeInvisible(joined)} with the password that you gave.</Text>
        <Leave>Sign in</Leave>
      </Frame>
    );
  }
  if (token === null) {
    return (
      <Frame title={TITLE}>
        <Text>
          This page needs the whole link of the invitation, with what comes after the #. Open it once more from where
          you got it.
        </Text>
      </Frame>
    );
  }
  return (
    <Frame title={TITLE}>
      <Accept key={token} token={token} onJoined={setJoined} />
    </Frame>
  );
}

const FIELDS = ['/name', '/password'];

/** The link itself is no good: nothing that is typed here would help. */
const isVoid = (error: unknown): boolean =>
  error instanceof HcpError && error.code === 'invalid_credentials' && atField(error, '/password') === undefined;

function Accept({ token, onJoined }: { token: string; onJoined: (email: string) => void }) {
  const me = useQuery(WHO).data;
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const accept = useAct(async () => {
    const { email, tenant_id } = await api.invitations.accept({ token, name, password });
    forgetLinkToken();
    // Whoever is signed in here stays so until they say otherwise.
    const entered = me === null && (await api.auth.browser.signIn({ email, password, tenant_id }).catch(() => null));
    if (entered) location.replace('/');
    else onJoined(email);
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    accept.run();
  };
  if (isVoid(accept.error)) {
    return (
      <Alert color="red" variant="light" role="alert" title="This invitation is not good, or no longer">
        A link is good once, for {INVITATION_HOURS} hours. Ask who invited you for a new one.
      </Alert>
    );
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text c="dimmed">Choose what you are called here, and a password to sign in with.</Text>
        <FormError error={accept.error} fields={FIELDS} />
        <TextInput
          label="Your name"
          name="name"
          autoComplete="name"
          required
          autoFocus
          maxLength={100}
          value={name}
          error={atField(accept.error, '/name')}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <NewPassword
          label="Password"
          value={password}
          onChange={setPassword}
          error={atField(accept.error, '/password')}
          more="If you have a password on this server already, give that one."
        />
        <Button type="submit" loading={accept.busy}>
          Join
        </Button>
      </Stack>
    </form>
  );
}

import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { HcpError } from '@hcp/sdk';
import { type FormEvent, useState } from 'react';
import { useAct } from '../../app/act.js';
import { api } from '../../app/api.js';
import { atField } from '../../app/field-errors.js';
import { forgetLinkToken, useLinkToken } from '../../app/open-address.js';
import { FormError } from '../../parts/form-error.js';
import { Frame } from './frame.js';
import { Leave } from './leave.js';
import { NewPassword } from './new-password.js';

/** The way back for who forgot their password: without a token one asks for a link, with one one sets a new password. */
export function Reset() {
  const token = useLinkToken();
  const [set, setSet] = useState(false);
  if (set) {
    return (
      <Frame title="Your password is set">
        <Text>Every session that the old one opened has ended. API keys go on.</Text>
        <Leave>Sign in</Leave>
      </Frame>
    );
  }
  if (token === null) return <Request />;
  return (
    <Frame title="Choose a new password">
      <SetPassword key={token} token={token} onSet={() => setSet(true)} />
    </Frame>
  );
}

function Request() {
  const [email, setEmail] = useState('');
  const [asked, setAsked] = useState(false);
  const request = useAct(async () => {
    await api.auth.requestReset(email.trim());
    setAsked(true);
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    request.run();
  };
  return (
    <Frame title="Forgot the password?">
      {asked ? (
        <Alert color="blue" variant="light" role="status" title="You asked for a link">
          If this server sends mail and knows this address, a link to set a new password is on its way; it is good once,
          for an hour. If no mail comes, ask an owner of your organisation or whoever runs this server.
        </Alert>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <Text c="dimmed">
              If this server sends mail, you get a link to set a new one; else ask whoever runs it.
            </Text>
            <FormError error={request.error} fields={['/email']} />
            <TextInput
              label="Email"
              type="email"
              name="email"
              autoComplete="username"
              required
              autoFocus
              value={email}
              error={atField(request.error, '/email')}
              onChange={({ currentTarget }) => setEmail(currentTarget.value)}
            />
            <Button type="submit" loading={request.busy}>
              Send me a link
            </Button>
          </Stack>
        </form>
      )}
      <Anchor href="/" size="sm" ta="center">
        Back to the sign-in
      </Anchor>
    </Frame>
  );
}

function SetPassword({ token, onSet }: { token: string; onSet: () => void }) {
  const [password, setPassword] = useState('');
  const confirm = useAct(async () => {
    await api.auth.confirmReset({ token, password });
    forgetLinkToken();
    onSet();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    confirm.run();
  };
  if (confirm.error instanceof HcpError && confirm.error.code === 'invalid_credentials') {
    return (
      <>
        <Alert color="red" variant="light" role="alert" title="This link is not good, or no longer">
          A link is good once, for an hour, and the newest one that was used ends the others.
        </Alert>
        <Button onClick={forgetLinkToken}>Ask for a new link</Button>
      </>
    );
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text c="dimmed">It ends every session that the old one opened.</Text>
        <FormError error={confirm.error} fields={['/password']} />
        <NewPassword
          label="New password"
          value={password}
          onChange={setPassword}
          error={atField(confirm.error, '/password')}
        />
        <Button type="submit" loading={confirm.busy}>
          Set the password
        </Button>
      </Stack>
    </form>
  );
}

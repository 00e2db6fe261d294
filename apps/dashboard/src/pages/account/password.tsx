import { Button, Group, Text } from '@mantine/core';
import { escapeInvisible } from '@hcp/core';
import { useAct } from '../../app/act.js';
import { api } from '../../app/api.js';
import { useMe } from '../../app/session.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Section } from '../../parts/section.js';
import { useState } from 'react';

/** A new password comes by the link that a forgotten one takes. */
export function Password() {
  const { email } = useMe().principal;
  const [sent, setSent] = useState(false);
  const send = useAct(async () => {
    if (email === undefined) return;
    await api.auth.requestReset(email);
    setSent(true);
  });
  if (email === undefined) return null;
  return (
    <Section
      title="Password"
      about="You set a new one by a link to your mailbox, if this server sends mail. It ends all your sessions; keys go on."
    >
      {send.error !== null && <ErrorBox error={send.error} />}
      {sent ? (
        <Text role="status" className="hcp-value">
          If this server sends mail, a link is on its way to {escapeInvisible(email)}; it is good once, for an hour. If
          no mail comes, ask whoever runs this server.
        </Text>
      ) : (
        <Group>
          <Button variant="default" loading={send.busy} onClick={() => send.run()}>
            Send me a link
          </Button>
        </Group>
      )}
    </Section>
  );
}

import { Button, Group, Text } from '@mantine/core';
import type { Member } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { useMe } from '../../app/session.js';
import { Ask } from '../../parts/ask.js';
import { Section } from '../../parts/section.js';
import { peopleChanged } from './queries.js';

type Act = 'disable' | 'enable' | 'remove';

/** Stops a principal, lets it go on, takes it out of the tenant. */
export function Standing({ one }: { one: Member }) {
  const me = useMe();
  const [asked, setAsked] = useState<Act | null>(null);
  const name = escapeInvisible(one.name);
  const person = one.kind === 'human';
  const act = async (): Promise<void> => {
    if (asked === 'disable') await api.members.disable(one.id);
    if (asked === 'enable') await api.members.enable(one.id);
    if (asked === 'remove') await api.members.delete(one.id);
    await peopleChanged();
  };
  if (one.id === me.principal.id) {
    return (
      <Section title="Stop or remove">
        <Text c="dimmed">This is you. Somebody else who manages access can stop or remove you.</Text>
      </Section>
    );
  }
  const close = (): void => setAsked(null);
  return (
    <Section title="Stop or remove" about="Both count at once, on every server.">
      <Group gap="sm">
        {one.disabled ? (
          <Button variant="default" onClick={() => setAsked('enable')}>
            Enable
          </Button>
        ) : (
          <Button variant="outline" color="red" onClick={() => setAsked('disable')}>
            Disable
          </Button>
        )}
        <Button variant="outline" color="red" onClick={() => setAsked('remove')}>
          Remove from the tenant
        </Button>
      </Group>
      <Ask
        opened={asked === 'disable'}
        onClose={close}
        title={`Disable ${name}?`}
        yes="Disable"
        danger
        act={act}
        refused={`${name} was not disabled`}
      >
        {person ? 'Their' : 'Its'} sessions and keys are refused from the next call on, runs that wait are refused, and
        running ones are stopped{person && '; so is every agent that acts for them'}. Roles, grants and keys stay for
        when you enable {person ? 'them' : 'it'} again.
      </Ask>
      <Ask
        opened={asked === 'enable'}
        onClose={close}
        title={`Enable ${name}?`}
        yes="Enable"
        act={act}
        refused={`${name} was not enabled`}
      >
        All roles, grants and keys count again. You need to hold all of those rights yourself.
      </Ask>
      <Ask
        opened={asked === 'remove'}
        onClose={close}
        title={`Remove ${name}?`}
        yes="Remove from the tenant"
        danger
        act={act}
        refused={`${name} was not removed`}
      >
        As with disabling, everything stops at once; and roles, grants, project memberships, keys and sessions are taken
        away for good. The name stays in runs and in the audit log.{person && ' They can be invited anew.'}
      </Ask>
    </Section>
  );
}

import { Anchor, Text } from '@mantine/core';
import type { PackSummary } from '@hcp/contracts';

type State = NonNullable<PackSummary['credential']>;

const WORDS: Record<State['state'], string> = {
  active: 'Credential is there',
  missing: 'Credential is missing',
  expired: 'Credential has ended',
  stale: 'Credential is refused by its service',
  revoked: 'Credential was revoked',
};

/** What a pack needs before its commands can run. */
export function Credential({ credential }: { credential: State }) {
  if (credential.state === 'active') return <Text size="sm">{WORDS.active}</Text>;
  return (
    <Text size="sm">
      {WORDS[credential.state]}
      {credential.needed_by === 'some' && ', for some of its commands'}.{' '}
      <Anchor href="/bindings" size="sm" underline="always">
        Connect one
      </Anchor>
    </Text>
  );
}

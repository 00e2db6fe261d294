import { Text } from '@mantine/core';
import { useMe } from '../../app/session.js';
import { Section } from '../../parts/section.js';
import { RightsList } from '../people/rights-list.js';
import { CAPABILITIES } from '@hcp/core';

/** What counts for a call from this very session: each layer narrows the one before. */
export function YourRights() {
  const me = useMe();
  const [own = [], ...narrower] = me.grants;
  const rights = [...own]
    .sort((a, b) => CAPABILITIES.indexOf(a.capability) - CAPABILITIES.indexOf(b.capability))
    .map((grant) => ({ grant }));
  const narrow = narrower.length > 0;
  return (
    <Section
      title="What you may do"
      about={
        me.roles.length === 0
          ? 'You have no role.'
          : `Your ${me.roles.length === 1 ? 'role' : 'roles'}: ${me.roles.join(', ')}.`
      }
    >
      <RightsList rights={rights} none="Nothing yet. Ask somebody who manages access for a role." />
      {narrow && (
        <Text size="sm">
          This session reaches less: it is bound to a project or to some packs, so part of this does not count in it.
        </Text>
      )}
    </Section>
  );
}

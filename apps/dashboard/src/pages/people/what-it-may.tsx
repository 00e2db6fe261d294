import { Text } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { Member } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useMe } from '../../app/session.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Loading } from '../../parts/loading.js';
import { Section } from '../../parts/section.js';
import { grantsOf, member, ROLES } from './queries.js';
import { RightsList } from './rights-list.js';
import { type Right, rightsOf } from './rights.js';

/** The rights of one principal, from its roles and its own grants. */
function useRights(
  id: string,
  enabled = true,
): { rights: readonly Right[] | null; name: string; failed: UseQueryResult | null } {
  const one = useQuery({ ...member(id), enabled });
  const roles = useQuery({ ...ROLES, enabled });
  const grants = useQuery({ ...grantsOf(id), enabled });
  const rights = one.data && roles.data && grants.data ? rightsOf(one.data, roles.data, grants.data) : null;
  const failed: UseQueryResult | null = [one, roles, grants].find(({ isError }) => isError) ?? null;
  return { rights, name: one.data === undefined ? '' : escapeInvisible(one.data.name), failed };
}

/** The answer to "what can it do?", in words. */
export function WhatItMay({ one }: { one: Member }) {
  const me = useMe();
  const own = useRights(one.id);
  const human = useRights(one.acts_for ?? one.id, one.acts_for !== null);
  const failed = own.failed ?? (one.acts_for === null ? null : human.failed);
  const name = one.acts_for === me.principal.id ? 'you' : human.name;
  const ready = own.rights !== null && (one.acts_for === null || human.rights !== null);
  return (
    <Section
      title={one.id === me.principal.id ? 'What you may do' : `What ${escapeInvisible(one.name)} may do`}
      {...(one.acts_for !== null && { about: 'It acts for a person: it can do only what both may.' })}
    >
      {failed !== null && <ErrorBox error={failed.error} retry={() => void failed.refetch()} />}
      {failed === null && !ready && <Loading />}
      {ready && own.rights !== null && (
        <RightsList
          rights={own.rights}
          human={one.acts_for === null || human.rights === null ? null : { name, rights: human.rights }}
          none="Nothing yet: give a role or a right below."
        />
      )}
      {ready && (
        <Text size="sm" c="dimmed">
          Rules and the mode still decide what asks first; a key or session can narrow this further.
        </Text>
      )}
    </Section>
  );
}

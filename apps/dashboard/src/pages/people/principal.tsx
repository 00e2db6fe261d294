import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Member } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useMe } from '../../app/session.js';
import { TextLink } from '../../parts/link.js';
import { Loaded } from '../../parts/loading.js';
import { Page } from '../../parts/page.js';
import { ActsFor, AgentsOf } from './acts-for.js';
import { Managed } from './frame.js';
import { Keys } from './keys.js';
import { OwnGrants } from './own-grants.js';
import { Projects } from './projects.js';
import { member } from './queries.js';
import { RolesOf } from './roles-of.js';
import { Standing } from './standing.js';
import { StateBadge } from './state-badge.js';
import { WhatItMay } from './what-it-may.js';

/** One principal in full: what it may do, through what, and the switch that stops it. */
export function PrincipalPage() {
  const { id } = useParams({ from: '/people/$id' });
  return (
    <Managed title="A principal">
      <One key={id} id={id} />
    </Managed>
  );
}

function One({ id }: { id: string }) {
  const query = useQuery(member(id));
  return (
    <Loaded query={query}>
      {(one) => (
        <Page
          title={escapeInvisible(one.name)}
          about={<About one={one} />}
          actions={<StateBadge disabled={one.disabled} />}
        >
          <Parts one={one} />
        </Page>
      )}
    </Loaded>
  );
}

const KIND = { human: 'a person', agent: 'an AI agent', service: 'a service' } as const;

function About({ one }: { one: Member }) {
  const me = useMe();
  const back =
    one.kind === 'human'
      ? ({ to: '/people', label: 'People' } as const)
      : ({ to: '/people/agents', label: 'Agents and services' } as const);
  return (
    <>
      <TextLink to={back.to} underline="always">
        {back.label}
      </TextLink>{' '}
      · {KIND[one.kind]}
      {one.email !== undefined && ` · ${escapeInvisible(one.email)}`}
      {one.id === me.principal.id && ' · you'}
    </>
  );
}

function Parts({ one }: { one: Member }) {
  const me = useMe();
  const self = one.id === me.principal.id;
  return (
    <>
      {one.disabled && (
        <Alert color="red" variant="light" role="note" title="Disabled">
          No sign-in, session, key or run is let in.
        </Alert>
      )}
      <WhatItMay one={one} />
      <RolesOf one={one} />
      <OwnGrants one={one} />
      <Projects one={one} />
      <Keys
        principal_id={one.id}
        whose={self ? 'your' : one.kind === 'human' ? 'their' : 'its'}
        creates={self || one.kind !== 'human'}
      />
      {one.kind === 'human' ? <AgentsOf one={one} /> : <ActsFor one={one} />}
      <Standing one={one} />
    </>
  );
}

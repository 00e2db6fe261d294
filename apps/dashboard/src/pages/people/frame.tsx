import { Alert } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { may, useMe } from '../../app/session.js';
import { TextLink } from '../../parts/link.js';
import { Page, type PageProps } from '../../parts/page.js';
import classes from './people.module.css';

const TABS = [
  ['/people', 'People'],
  ['/people/agents', 'Agents and services'],
  ['/people/invitations', 'Invitations'],
  ['/people/roles', 'Roles'],
  ['/people/grants', 'Grants'],
] as const;

/** One of the pages about who may do what, with the way to the others. */
export function PeopleFrame({ children, ...page }: PageProps) {
  return (
    <Managed title={page.title}>
      <Page {...page}>
        <Tabs />
        {children}
      </Page>
    </Managed>
  );
}

function Tabs() {
  const nav = useRef<HTMLElement>(null);
  // On a narrow screen they scroll sideways: where one is has to be in sight.
  useEffect(() => {
    const [tabs, tab] = [nav.current, nav.current?.querySelector<HTMLElement>('[aria-current="page"]')];
    if (tabs && tab) tabs.scrollLeft = tab.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - tab.offsetWidth) / 2;
  }, []);
  return (
    <nav aria-label="Who may do what" className={classes['tabs']} ref={nav}>
      {TABS.map(([to, label]) => (
        <TextLink
          key={to}
          to={to}
          activeOptions={{ exact: to === '/people' }}
          underline="never"
          className={classes['tab'] ?? ''}
        >
          {label}
        </TextLink>
      ))}
    </nav>
  );
}

/** For people who manage access; others are told what they can see instead. */
export function Managed({ title, children }: { title: string; children: ReactNode }) {
  const me = useMe();
  if (may(me, 'access.manage')) return children;
  return (
    <Page title={title}>
      <Alert color="blue" variant="light" role="note" title="This page is for people who manage access">
        What you may do yourself is on{' '}
        <TextLink to="/account" underline="always">
          your account
        </TextLink>
        . Ask somebody who manages access for more.
      </Alert>
    </Page>
  );
}

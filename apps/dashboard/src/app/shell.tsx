import { ActionIcon, Badge, Burger, Drawer, Group, Menu, Text, useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLogout, IconMoon, IconSun, IconUserCircle } from '@tabler/icons-react';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useMutation, useQuery } from '@tanstack/react-query';
import { escapeInvisible } from '@hcp/core';
import { api } from './api.js';
import { forgetSession } from './queries.js';
import { type Place, placesFor } from './places.js';
import { useMe } from './session.js';
import { useLive } from './live.js';
import { WAITING } from '../pages/approvals/queries.js';
import { SENSE_COUNT } from '../pages/sense/queries.js';
import { NavigationLink } from '../parts/link.js';
import classes from './shell.module.css';

/** What waits for somebody at a place. */
function useBadges(): Partial<Record<Place['to'], { shown: string; label: string }>> {
  const { data: waiting } = useQuery(WAITING);
  const { data: sense } = useQuery(SENSE_COUNT);
  const badge = (count: number, more: boolean, what: string) => {
    const shown = more ? `${String(count)}+` : String(count);
    return { shown, label: `${shown} ${what}` };
  };
  return {
    ...(waiting &&
      waiting.items.length > 0 && {
        '/approvals': badge(waiting.items.length, waiting.next_cursor !== null, 'waiting'),
      }),
    ...(sense && sense.count > 0 && { '/sense': badge(sense.count, sense.more, 'warnings and errors') }),
  };
}

function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const groups = placesFor(useMe());
  const badges = useBadges();
  return (
    <nav aria-label="Main">
      {groups.map(({ label, places }) => (
        <section key={label} aria-label={label} className={classes['group']}>
          {places.map(({ to, label: name, icon: Icon }) => (
            <NavigationLink
              key={to}
              to={to}
              label={name}
              onClick={onNavigate}
              activeOptions={{ exact: to === '/' }}
              activeProps={{ active: true }}
              leftSection={<Icon size={18} aria-hidden />}
              rightSection={
                badges[to] && (
                  <Badge color="red" variant="filled" aria-label={badges[to].label}>
                    {badges[to].shown}
                  </Badge>
                )
              }
            />
          ))}
        </section>
      ))}
    </nav>
  );
}

function SchemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const dark = colorScheme === 'dark' || (colorScheme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={dark ? 'Use light colours' : 'Use dark colours'}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      {dark ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />}
    </ActionIcon>
  );
}

function Account() {
  const me = useMe();
  const navigate = useNavigate();
  const leave = useMutation({ mutationFn: () => api.auth.browser.signOut(), onSuccess: forgetSession });
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={`Account of ${escapeInvisible(me.principal.name)}`}>
          <IconUserCircle size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {escapeInvisible(me.principal.name)} · {escapeInvisible(me.tenant.name)}
        </Menu.Label>
        <Menu.Item
          leftSection={<IconUserCircle size={16} aria-hidden />}
          onClick={() => void navigate({ to: '/account' })}
        >
          Your account
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => leave.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** What is around every page: navigation, who one is, and whether the page is up to date. */
export function Shell() {
  const me = useMe();
  const live = useLive();
  const [opened, { toggle, close }] = useDisclosure(false);
  const loading = useRouterState({ select: ({ isLoading }) => isLoading });
  return (
    <div className={classes['shell']}>
      <a href="#main" className={classes['skip']}>
        Skip to the content
      </a>
      <header className={classes['header']}>
        <Group gap="sm" wrap="nowrap" miw={0}>
          <Burger
            className={classes['burger'] ?? ''}
            opened={opened}
            onClick={toggle}
            size="sm"
            aria-label={opened ? 'Close the navigation' : 'Open the navigation'}
          />
          <Text fw={700}>HCP</Text>
          <Text c="dimmed" truncate>
            {escapeInvisible(me.tenant.name)}
          </Text>
        </Group>
        <Group gap="xs" wrap="nowrap">
          <SchemeToggle />
          <Account />
        </Group>
      </header>
      <aside className={classes['side']}>
        <Navigation />
      </aside>
      <Drawer opened={opened} onClose={close} size="xs" title="HCP">
        <Navigation onNavigate={close} />
      </Drawer>
      <main id="main" tabIndex={-1} className={classes['main']} aria-busy={loading}>
        {!live && (
          <div role="status" className={classes['offline']}>
            No connection to the server. What you see may be old; it is fetched anew as soon as the server answers.
          </div>
        )}
        <Outlet />
      </main>
    </div>
  );
}

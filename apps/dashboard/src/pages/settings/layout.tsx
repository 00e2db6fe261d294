import { Text } from '@mantine/core';
import { Navigate, Outlet } from '@tanstack/react-router';
import { useMe } from '../../app/session.js';
import { NavigationLink } from '../../parts/link.js';
import classes from './layout.module.css';
import { settingsFor } from './places.js';

/** Settings: what there is, beside what is open. */
export function SettingsLayout() {
  const groups = settingsFor(useMe());
  return (
    <div className={classes['settings']}>
      <nav aria-label="Settings" className={classes['nav']}>
        {groups.map(({ label, places }) => (
          <section key={label} aria-label={label} className={classes['group']}>
            <Text size="xs" c="dimmed" fw={600} className={classes['heading']}>
              {label}
            </Text>
            {places.map(({ to, label: name }) => (
              <NavigationLink
                key={to}
                to={to}
                label={name}
                className={classes['link']}
                activeProps={{ active: true, 'aria-current': 'page' }}
              />
            ))}
          </section>
        ))}
      </nav>
      <div className={classes['content']}>
        <Outlet />
      </div>
    </div>
  );
}

/** The first page that this person may open. */
export function SettingsIndex() {
  const [first] = settingsFor(useMe()).flatMap(({ places }) => places);
  return <Navigate to={first?.to ?? '/settings/about'} replace />;
}

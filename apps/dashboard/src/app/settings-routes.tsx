import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from './root.js';
import { textIn } from './text-in.js';

/** Settings have a navigation of their own around every page. */
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('../pages/settings/layout.js'), 'SettingsLayout'),
});
const index = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/settings/layout.js'), 'SettingsIndex'),
});
const approvals = createRoute({
  getParentRoute: () => settings,
  path: '/approvals',
  component: lazyRouteComponent(() => import('../pages/settings/approvals/approvals.js'), 'ApprovalSettings'),
});
const projects = createRoute({
  getParentRoute: () => settings,
  path: '/projects',
  component: lazyRouteComponent(() => import('../pages/settings/projects/list.js'), 'ProjectList'),
});
const project = createRoute({
  getParentRoute: () => settings,
  path: '/projects/$id',
  component: lazyRouteComponent(() => import('../pages/settings/projects/project.js'), 'ProjectPage'),
});
const webhooks = createRoute({
  getParentRoute: () => settings,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('../pages/settings/webhooks/list.js'), 'WebhookList'),
});
const webhook = createRoute({
  getParentRoute: () => settings,
  path: '/webhooks/$id',
  component: lazyRouteComponent(() => import('../pages/settings/webhooks/webhook.js'), 'WebhookPage'),
});
const identityProviders = createRoute({
  getParentRoute: () => settings,
  path: '/identity-providers',
  component: lazyRouteComponent(() => import('../pages/settings/identity-providers/list.js'), 'IdentityProviders'),
});
const providers = createRoute({
  getParentRoute: () => settings,
  path: '/providers',
  validateSearch: (search: Record<string, unknown>): { provider?: string } => textIn(search, 'provider'),
  component: lazyRouteComponent(() => import('../pages/settings/providers.js'), 'ProvidersPage'),
});
const about = createRoute({
  getParentRoute: () => settings,
  path: '/about',
  component: lazyRouteComponent(() => import('../pages/settings/about.js'), 'About'),
});
const tenants = createRoute({
  getParentRoute: () => settings,
  path: '/tenants',
  component: lazyRouteComponent(() => import('../pages/settings/operator/tenants.js'), 'Tenants'),
});
const keys = createRoute({
  getParentRoute: () => settings,
  path: '/keys',
  component: lazyRouteComponent(() => import('../pages/settings/operator/keys.js'), 'Keys'),
});

export const settingsRoutes = settings.addChildren([
  index,
  approvals,
  projects,
  project,
  webhooks,
  webhook,
  identityProviders,
  providers,
  about,
  tenants,
  keys,
]);

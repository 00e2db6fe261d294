import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { ErrorBox } from '../parts/error-box.js';
import { Loading } from '../parts/loading.js';
import { readAuditSearch } from '../pages/audit/search.js';
import { Overview } from '../pages/overview.js';
import { root } from './root.js';
import { settingsRoutes } from './settings-routes.js';
import { textIn } from './text-in.js';

const overview = createRoute({ getParentRoute: () => root, path: '/', component: Overview });
const approvals = createRoute({
  getParentRoute: () => root,
  path: '/approvals',
  component: lazyRouteComponent(() => import('../pages/approvals/inbox.js'), 'Inbox'),
});
const approval = createRoute({
  getParentRoute: () => root,
  path: '/approvals/$id',
  component: lazyRouteComponent(() => import('../pages/approvals/approval.js'), 'ApprovalPage'),
});
const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: ({ pack_id }): { pack_id?: string } => (typeof pack_id === 'string' ? { pack_id } : {}),
  component: lazyRouteComponent(() => import('../pages/runs/list.js'), 'RunList'),
});
const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$id',
  component: lazyRouteComponent(() => import('../pages/runs/run.js'), 'RunPage'),
});
const commands = createRoute({
  getParentRoute: () => root,
  path: '/commands',
  component: lazyRouteComponent(() => import('../pages/commands/list.js'), 'CommandList'),
});
const command = createRoute({
  getParentRoute: () => root,
  path: '/commands/$pack_id/$verb_key',
  component: lazyRouteComponent(() => import('../pages/commands/command.js'), 'CommandPage'),
});
const packs = createRoute({
  getParentRoute: () => root,
  path: '/packs',
  component: lazyRouteComponent(() => import('../pages/packs/list.js'), 'PackList'),
});
const pack = createRoute({
  getParentRoute: () => root,
  path: '/packs/$pack_id',
  component: lazyRouteComponent(() => import('../pages/packs/pack.js'), 'PackPage'),
});
const bindings = createRoute({
  getParentRoute: () => root,
  path: '/bindings',
  component: lazyRouteComponent(() => import('../pages/bindings/list.js'), 'BindingList'),
});
const connectPack = createRoute({
  getParentRoute: () => root,
  path: '/bindings/connect',
  validateSearch: (search: Record<string, unknown>): { pack?: string; project?: string; shared?: boolean } => ({
    ...textIn(search, 'pack'),
    ...textIn(search, 'project'),
    ...(search['shared'] === true && { shared: true }),
  }),
  component: lazyRouteComponent(() => import('../pages/bindings/connect.js'), 'ConnectPage'),
});
const connection = createRoute({
  getParentRoute: () => root,
  path: '/bindings/connections/$id',
  component: lazyRouteComponent(() => import('../pages/bindings/connection.js'), 'ConnectionPage'),
});
const binding = createRoute({
  getParentRoute: () => root,
  path: '/bindings/$id',
  component: lazyRouteComponent(() => import('../pages/bindings/binding.js'), 'BindingPage'),
});
const sense = createRoute({
  getParentRoute: () => root,
  path: '/sense',
  component: lazyRouteComponent(() => import('../pages/sense/sense.js'), 'SensePage'),
});
const access = createRoute({
  getParentRoute: () => root,
  path: '/access',
  component: lazyRouteComponent(() => import('../pages/access/access.js'), 'AccessPage'),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import('../pages/audit/list.js'), 'AuditList'),
});
const audit_event = createRoute({
  getParentRoute: () => root,
  path: '/audit/$id',
  component: lazyRouteComponent(() => import('../pages/audit/event.js'), 'AuditEventPage'),
});

const people = createRoute({
  getParentRoute: () => root,
  path: '/people',
  component: lazyRouteComponent(() => import('../pages/people/people.js'), 'People'),
});
const agents = createRoute({
  getParentRoute: () => root,
  path: '/people/agents',
  component: lazyRouteComponent(() => import('../pages/people/agents.js'), 'Agents'),
});
const newAgent = createRoute({
  getParentRoute: () => root,
  path: '/people/agents/new',
  component: lazyRouteComponent(() => import('../pages/people/new-agent.js'), 'NewAgent'),
});
const invitations = createRoute({
  getParentRoute: () => root,
  path: '/people/invitations',
  component: lazyRouteComponent(() => import('../pages/people/invitations.js'), 'Invitations'),
});
const roles = createRoute({
  getParentRoute: () => root,
  path: '/people/roles',
  component: lazyRouteComponent(() => import('../pages/people/roles.js'), 'Roles'),
});
const grants = createRoute({
  getParentRoute: () => root,
  path: '/people/grants',
  component: lazyRouteComponent(() => import('../pages/people/grants.js'), 'Grants'),
});
const principal = createRoute({
  getParentRoute: () => root,
  path: '/people/$id',
  component: lazyRouteComponent(() => import('../pages/people/principal.js'), 'PrincipalPage'),
});
const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/account/account.js'), 'Account'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    approvals,
    approval,
    runs,
    run,
    commands,
    command,
    packs,
    pack,
    sense,
    bindings,
    connectPack,
    connection,
    binding,
    access,
    audit,
    audit_event,
    ...[people, agents, newAgent, invitations, roles, grants, principal, account],
    settingsRoutes,
  ]),
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error, reset }) => <ErrorBox error={error} retry={reset} />,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

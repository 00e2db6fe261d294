import type { Route } from './common/route.js';
import { ROUTES, type OperationId } from './routes.js';

/** An answer that is no success: its status, when it comes, and what it holds. */
export interface RefusalAnswer {
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 503;
  readonly when: string;
  readonly holds: 'problem' | 'response' | 'oauth' | 'page';
}

/** Routes whose use case answers 409 where the request goes against what is there. */
const CONFLICTING: readonly OperationId[] = [
  'access_rules_create',
  'agents_act_for_me',
  'approvals_approve',
  'approvals_reject',
  'auth_browser_sign_in',
  'auth_logout',
  'auth_token',
  'bindings_connect',
  'bindings_create',
  'bindings_rotate',
  'files_delete',
  'files_get',
  'files_put',
  'invitations_accept',
  'invitations_create',
  'invitations_delete',
  'members_assign_role',
  'members_delete',
  'members_disable',
  'members_unassign_role',
  'providers_create',
  'providers_update',
  'oidc_issuers_create',
  'oidc_issuers_link',
  'oidc_issuers_update',
  'packs_activate',
  'packs_deactivate',
  'packs_delete_version',
  'packs_install',
  'packs_resume',
  'packs_rollback',
  'packs_stop',
  'projects_create',
  'projects_delete',
  'projects_update',
  'roles_create',
  'roles_update',
  'sense_sources_set',
  'sessions_create',
  'tenants_create',
  'tenants_invite_owner',
  'tenants_resume',
  'tenants_stop',
  'webhooks_create',
  'webhooks_redeliver',
  'webhooks_test',
];
const conflicting: ReadonlySet<string> = new Set(CONFLICTING);

/** What says that the body was not taken. */
const BODY_STATUS: ReadonlySet<number> = new Set([400, 413, 415]);

/** Public routes that count failures of an address (SPEC T5). */
const COUNTED = /^(?:\/v1\/(?:auth|invitations)|\/oauth)\//;

/** What only pages of this site may call. */
const BROWSER = '/v1/auth/browser/';

/**
 * Every answer of a route that is no success, as the document says them (SPEC I1, E7). What comes of any defect (500)
 * is left out.
 */
export function refusalsOf(id: OperationId): RefusalAnswer[] {
  const route: Route = ROUTES[id];
  const found: [RefusalAnswer['status'], string][] = [];
  const say = (status: RefusalAnswer['status'], when: string): void => void found.push([status, when]);
  const is_public = route.requires === 'public';
  const enveloped = id === 'exec';
  const rpc = route.body === 'json-rpc';
  const ready = id === 'readyz';
  say(400, enveloped ? 'The body is no envelope.' : 'Something in the request is wrong; `errors` names the fields.');
  if (!is_public) {
    say(401, 'No valid credentials.');
    say(403, 'The caller may not do this.');
    say(429, 'Too many bad keys from this address; see Retry-After.');
    say(503, 'Not available now.');
  } else if (COUNTED.test(route.path)) {
    say(401, 'The credentials are wrong.');
    if (route.path.startsWith(BROWSER)) say(403, 'No page of this site sent it.');
    say(429, 'Too many failures; see Retry-After.');
  }
  if (route.params) say(404, 'No such thing, or not the caller’s to see.');
  if (conflicting.has(id)) say(409, 'It goes against what is there; `detail` says what.');
  if (route.body !== undefined && !enveloped) {
    say(413, 'The body is too large.');
    say(415, 'The body is of a type that this route does not take.');
  }
  if (id === 'packs_install') say(422, 'The archive or the pack in it has errors; `errors` names them.');
  if (ready) say(503, 'Not ready; the parts say why.');
  return found
    .sort(([a], [b]) => a - b)
    .map(([status, when]) => {
      const own = (enveloped && status === 400) || (ready && status === 503) || (rpc && BODY_STATUS.has(status));
      return { status, when, holds: own ? 'response' : (route.refusals ?? 'problem') };
    });
}

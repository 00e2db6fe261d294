import { randomUUID } from 'node:crypto';
import type { Person } from '../../support/stack.js';

/** Where an id, or a name that stands for a thing, can be written. Everything else is a value. */
export const NAMES_A_THING =
  /(^|\.)(id|pack_id|surface_id|version|packs|assignment_id|role|[a-z_]+_id|refresh_token|cursor|verb_key)$/;

export interface Things {
  readonly tenant_id: string;
  readonly owner: Person;
  readonly project: string;
  readonly member: string;
  readonly agent: string;
  readonly role: string;
  readonly assignment: string;
  readonly grant: string;
  readonly key: string;
  readonly session: string;
  readonly refresh_token: string;
  readonly run: string;
  readonly approval: string;
  readonly pack: string;
  readonly version: string;
  readonly binding: string;
  readonly invitation: string;
  readonly issuer: string;
  readonly connection: string;
  readonly provider_client: string;
  readonly rule: string;
  readonly event: string;
  readonly webhook: string;
  readonly delivery: string;
}

export interface Case {
  /** A's thing, and what is in its place where there is no such thing. */
  readonly of: (a: Things) => string;
  readonly nobody?: string | ((a: Things) => string);
  /** The rest of the request, with B's own things. */
  readonly rest?: (b: Things) => { path?: Record<string, string>; body?: Record<string, unknown> };
  /** The body with the name in its place, where that is a key. */
  readonly put?: (name: string) => Record<string, unknown>;
  /** 404 unless said otherwise. */
  readonly status?: number;
}

const filter = (of: Case['of'], nobody?: Case['nobody']): Case => ({ of, nobody, status: 200 });
const role_body = () => ({ body: { role: 'member' } });
const exec_body = (b: Things) => ({ body: { pack_id: b.pack, verb_key: 'list', args: {}, wait_ms: 0 } });
const ask_body = (b: Things) => ({ body: { ...exec_body(b).body, verb_key: 'change' } });
const grant_body = (b: Things) => ({ body: { principal_id: b.agent, capability: 'verb.exec.read' } });
const binding_body = (b: Things) => ({
  body: { pack_id: b.pack, family: 'user', kind: 'secret', fields: { token: 'theirs' } },
});
const base64 = (text: string): string => Buffer.from(text).toString('base64url');
/** A page that begins after an id: the same page, whether the id is someone's or its neighbour is nobody's. */
const neighbour = (id: string): string => id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');
const after = (of: Case['of']): Case => ({
  of: (a) => base64(of(a)),
  nobody: (a) => base64(neighbour(of(a))),
  status: 200,
});
const cursor = after((a) => a.project);
const name_cursor: Case = { of: (a) => base64(a.pack), nobody: base64('only-as-well'), status: 200 };

/** One for each such place; a route without its case fails the test. */
export const CASES: Record<string, Case> = {
  'auth_token body.tenant_id': {
    of: (a) => a.tenant_id,
    rest: (b) => ({ body: { email: b.owner.email, password: b.owner.password } }),
    status: 401,
  },
  'auth_browser_sign_in body.tenant_id': {
    of: (a) => a.tenant_id,
    rest: (b) => ({ body: { email: b.owner.email, password: b.owner.password } }),
    status: 401,
  },
  'auth_refresh body.refresh_token': {
    of: (a) => a.refresh_token.slice(0, -4) + 'AAAA',
    nobody: `hcr_${randomUUID()}_${'A'.repeat(43)}`,
    status: 401,
  },
  'sessions_create body.project_id': { of: (a) => a.project },
  'sessions_create body.packs': { of: (a) => a.pack, nobody: 'nothing', status: 400 },
  'sessions_list query.cursor': cursor,
  'sessions_delete path.id': { of: (a) => a.session },
  'projects_list query.cursor': cursor,
  'projects_get path.id': { of: (a) => a.project },
  'projects_add_member path.id': { of: (a) => a.project, rest: (b) => ({ path: { principal_id: b.member } }) },
  'projects_add_member path.principal_id': { of: (a) => a.member, rest: (b) => ({ path: { id: b.project } }) },
  'projects_remove_member path.id': { of: (a) => a.project, rest: (b) => ({ path: { principal_id: b.member } }) },
  'projects_remove_member path.principal_id': { of: (a) => a.member, rest: (b) => ({ path: { id: b.project } }) },
  'members_list query.cursor': cursor,
  'agents_list query.cursor': cursor,
  'agents_delete path.id': { of: (a) => a.agent },
  'agents_end_acts_for path.id': { of: (a) => a.agent },
  'roles_list query.cursor': after((a) => a.role),
  'roles_create body.grants[].pack_id': {
    of: (a) => a.pack,
    nobody: 'nothing',
    rest: () => ({ body: { name: fresh() } }),
    status: 201,
  },
  'roles_create body.grants[].project_id': {
    of: (a) => a.project,
    rest: () => ({ body: { name: fresh() } }),
    status: 201,
  },
  'roles_delete path.id': { of: (a) => a.role },
  'members_assign_role path.id': { of: (a) => a.member, rest: role_body },
  'members_assign_role body.project_id': {
    of: (a) => a.project,
    rest: (b) => ({ path: { id: b.member }, ...role_body() }),
  },
  'members_assign_role body.role': {
    of: () => 'only-of-a',
    nobody: 'of-nobody',
    rest: (b) => ({ path: { id: b.member } }),
    status: 400,
  },
  'members_unassign_role path.id': { of: (a) => a.member, rest: (b) => ({ path: { assignment_id: b.assignment } }) },
  'members_unassign_role path.assignment_id': { of: (a) => a.assignment, rest: (b) => ({ path: { id: b.member } }) },
  'grants_list query.principal_id': filter((a) => a.agent),
  'grants_list query.cursor': cursor,
  'grants_create body.principal_id': { of: (a) => a.agent, rest: grant_body },
  'grants_create body.project_id': { of: (a) => a.project, rest: grant_body },
  'grants_create body.pack_id': { of: (a) => a.pack, nobody: 'nothing', rest: grant_body, status: 201 },
  'grants_delete path.id': { of: (a) => a.grant },
  'api_keys_create body.principal_id': { of: (a) => a.agent, rest: () => ({ body: { name: 'k' } }) },
  'api_keys_create body.project_id': { of: (a) => a.project, rest: () => ({ body: { name: 'k' } }) },
  'api_keys_create body.grants[].pack_id': {
    of: (a) => a.pack,
    nobody: 'nothing',
    rest: () => ({ body: { name: 'k' } }),
    status: 201,
  },
  'api_keys_create body.grants[].project_id': {
    of: (a) => a.project,
    rest: () => ({ body: { name: 'k' } }),
    status: 201,
  },
  'api_keys_list query.principal_id': filter((a) => a.agent),
  'api_keys_list query.cursor': cursor,
  'api_keys_delete path.id': { of: (a) => a.key },
  'packs_list query.cursor': name_cursor,
  'packs_get path.pack_id': { of: (a) => a.pack, nobody: 'nothing' },
  'packs_get query.version': {
    of: (a) => a.version,
    nobody: '9.9.9',
    rest: (b) => ({ path: { pack_id: b.pack } }),
  },
  'packs_skill path.pack_id': { of: (a) => a.pack, nobody: 'nothing' },
  'packs_delete_version path.pack_id': {
    of: (a) => a.pack,
    nobody: 'nothing',
    rest: (b) => ({ path: { version: b.version } }),
  },
  'packs_delete_version path.version': {
    of: (a) => a.version,
    nobody: '9.9.9',
    rest: (b) => ({ path: { pack_id: b.pack } }),
  },
  'packs_activate path.pack_id': { of: (a) => a.pack, nobody: 'nothing', rest: () => ({ body: {} }) },
  'packs_activate body.version': {
    of: (a) => a.version,
    nobody: '9.9.9',
    rest: (b) => ({ path: { pack_id: b.pack } }),
  },
  'packs_activate body.project_id': { of: (a) => a.project, rest: (b) => ({ path: { pack_id: b.pack } }) },
  'packs_deactivate path.pack_id': { of: (a) => a.pack, nobody: 'nothing' },
  'packs_deactivate query.project_id': { of: (a) => a.project, rest: (b) => ({ path: { pack_id: b.pack } }) },
  'commands_list query.pack_id': filter((a) => a.pack, 'nothing'),
  'commands_list query.project_id': { of: (a) => a.project },
  'commands_list query.cursor': name_cursor,
  'exec body.pack_id': { of: (a) => a.pack, nobody: 'nothing', rest: exec_body, status: 200 },
  'exec body.surface_id': {
    of: (a) => a.pack,
    nobody: 'nothing',
    rest: () => ({ body: { verb_key: 'list' } }),
    status: 200,
  },
  'exec body.verb_key': { of: () => 'only-of-a', nobody: 'of-nobody', rest: exec_body, status: 200 },
  'exec body.approval_id': { of: (a) => a.approval, rest: ask_body, status: 200 },
  'exec body.approval.id': {
    of: (a) => a.run,
    rest: (b) => ({ body: { ...exec_body(b).body, approval: { by: 'human' } } }),
    status: 200,
  },
  'exec_preview body.pack_id': { of: (a) => a.pack, nobody: 'nothing', rest: exec_body, status: 200 },
  'exec_preview body.surface_id': {
    of: (a) => a.pack,
    nobody: 'nothing',
    rest: () => ({ body: { verb_key: 'list' } }),
    status: 200,
  },
  'exec_preview body.verb_key': { of: () => 'only-of-a', nobody: 'of-nobody', rest: exec_body, status: 200 },
  'exec_preview body.approval_id': { of: (a) => a.approval, rest: ask_body, status: 200 },
  'exec_preview body.approval.id': {
    of: (a) => a.approval,
    rest: (b) => ({ body: { ...ask_body(b).body, approval: { by: 'human' } } }),
    status: 200,
  },
  'approvals_list query.cursor': { of: (a) => a.approval, nobody: (a) => neighbour(a.approval), status: 200 },
  'approvals_get path.id': { of: (a) => a.approval },
  'approvals_approve path.id': { of: (a) => a.approval, rest: () => ({ body: {} }) },
  'approvals_reject path.id': { of: (a) => a.approval, rest: () => ({ body: {} }) },
  'runs_list query.pack_id': filter((a) => a.pack, 'nothing'),
  'runs_list query.verb_key': filter(() => 'only-theirs', 'nothing'),
  'runs_list query.principal_id': filter((a) => a.owner.id),
  'runs_list query.project_id': filter((a) => a.project),
  'runs_list query.cursor': { of: (a) => a.run, nobody: (a) => neighbour(a.run), status: 200 },
  'runs_get path.id': { of: (a) => a.run },
  'runs_cancel path.id': { of: (a) => a.run },
  'runs_events path.id': { of: (a) => a.run },
  'audit_list query.pack_id': filter((a) => a.pack, 'nothing'),
  'audit_list query.principal_id': filter((a) => a.owner.id),
  'audit_list query.run_id': filter((a) => a.run),
  'audit_export query.pack_id': filter((a) => a.pack, 'nothing'),
  'audit_export query.principal_id': filter((a) => a.owner.id),
  'audit_export query.run_id': filter((a) => a.run),
  'audit_get path.id': { of: (a) => a.event },
  'audit_proof path.id': { of: (a) => a.event },
  'audit_list query.cursor': { of: () => '0', nobody: '0', status: 400 },
  'files_get path.id': { of: (a) => a.project },
  'files_put path.id': { of: (a) => a.project },
  'files_delete path.id': { of: (a) => a.project },
  'packs_rollback path.pack_id': { of: (a) => a.pack, nobody: 'nothing', rest: () => ({ body: {} }) },
  'packs_rollback body.project_id': { of: (a) => a.project, rest: (b) => ({ path: { pack_id: b.pack } }) },
  'bindings_list query.pack_id': filter((a) => a.pack, 'nothing'),
  'bindings_list query.cursor': after((a) => a.binding),
  'bindings_get path.id': { of: (a) => a.binding },
  'bindings_create body.pack_id': { of: (a) => a.pack, nobody: 'nothing', rest: binding_body },
  'bindings_create body.project_id': { of: (a) => a.project, rest: binding_body },
  'bindings_rotate path.id': { of: (a) => a.binding, rest: () => ({ body: { fields: { token: 'another' } } }) },
  'bindings_revoke path.id': { of: (a) => a.binding },
  'bindings_connect body.pack_id': { of: (a) => a.pack, nobody: 'nothing' },
  'bindings_connect body.project_id': { of: (a) => a.project, rest: (b) => ({ body: { pack_id: b.pack } }) },
  'connections_get path.id': { of: (a) => a.connection },
  // A page, for whoever has the link; without its ticket it is the same page for all.
  'connections_start path.id': { of: (a) => a.connection, status: 400 },
  'providers_list query.cursor': after((a) => a.provider_client),
  'providers_get path.id': { of: (a) => a.provider_client },
  'providers_update path.id': { of: (a) => a.provider_client, rest: () => ({ body: { scopes: ['files'] } }) },
  'providers_delete path.id': { of: (a) => a.provider_client },
  // The service's own name for this installation; without a secret nothing is kept.
  'providers_create body.client_id': {
    of: (a) => a.provider_client,
    rest: () => ({ body: { provider: 'x.example', token_endpoint_auth_method: 'client_secret_post' } }),
    status: 400,
  },
  'projects_update path.id': { of: (a) => a.project, rest: () => ({ body: { name: fresh() } }) },
  'projects_delete path.id': { of: (a) => a.project },
  'members_get path.id': { of: (a) => a.member },
  'members_disable path.id': { of: (a) => a.member },
  'members_enable path.id': { of: (a) => a.member },
  'members_delete path.id': { of: (a) => a.member },
  'agents_get path.id': { of: (a) => a.agent },
  'agents_act_for_me path.id': { of: (a) => a.agent },
  'roles_update path.id': { of: (a) => a.role, rest: () => ({ body: { grants: [{ capability: 'verb.exec.read' }] } }) },
  'roles_update body.grants[].pack_id': {
    of: (a) => a.pack,
    nobody: 'nothing',
    rest: (b) => ({ path: { id: b.role } }),
    status: 200,
  },
  'roles_update body.grants[].project_id': {
    of: (a) => a.project,
    rest: (b) => ({ path: { id: b.role } }),
    status: 200,
  },
  'invitations_list query.cursor': after((a) => a.invitation),
  'invitations_create body.project_id': {
    of: (a) => a.project,
    rest: () => ({ body: { email: 'someone@example.com', role: 'member' } }),
  },
  'invitations_create body.role': {
    of: () => 'only-of-a',
    nobody: 'of-nobody',
    rest: () => ({ body: { email: 'someone@example.com' } }),
    status: 400,
  },
  'invitations_delete path.id': { of: (a) => a.invitation },
  'oidc_issuers_list query.cursor': after((a) => a.issuer),
  'oidc_issuers_get path.id': { of: (a) => a.issuer },
  'oidc_issuers_update path.id': { of: (a) => a.issuer, rest: () => ({ body: { jit: false } }) },
  'oidc_issuers_delete path.id': { of: (a) => a.issuer },
  'oidc_issuers_link path.id': { of: (a) => a.issuer, rest: () => ({ body: { subject: 'someone' } }) },
  'oidc_issuers_link body.principal_id': {
    of: (a) => a.member,
    rest: (b) => ({ path: { id: b.issuer }, body: { subject: 'someone' } }),
  },
  'packs_stop path.pack_id': { of: (a) => a.pack, nobody: 'nothing' },
  'packs_resume path.pack_id': { of: (a) => a.pack, nobody: 'nothing' },
  'packs_stop_get path.pack_id': { of: (a) => a.pack, nobody: 'nothing' },
  'access_get query.project_id': { of: (a) => a.project },
  'access_set_mode body.pack_id': {
    of: (a) => a.pack,
    nobody: 'nothing',
    rest: () => ({ body: { mode: null } }),
    status: 200,
  },
  'access_set_mode body.project_id': { of: (a) => a.project, rest: () => ({ body: { mode: 'manual' } }) },
  'access_set_mode body.api_key_id': { of: (a) => a.key, rest: () => ({ body: { mode: 'run' } }) },
  'access_set_mode body.session_id': { of: (a) => a.session, rest: () => ({ body: { mode: 'run' } }) },
  'access_rules_list query.project_id': { of: (a) => a.project },
  'access_rules_list query.cursor': after((a) => a.rule),
  'access_rules_create body.project_id': {
    of: (a) => a.project,
    rest: () => ({ body: { match: '*', decision: 'ask' } }),
  },
  'access_rules_delete path.id': { of: (a) => a.rule },
  'access_test body.pack_id': { of: (a) => a.pack, nobody: 'nothing', rest: exec_body, status: 200 },
  'access_test body.surface_id': {
    of: (a) => a.pack,
    nobody: 'nothing',
    rest: () => ({ body: { verb_key: 'list' } }),
    status: 200,
  },
  'access_test body.verb_key': { of: () => 'only-of-a', nobody: 'of-nobody', rest: exec_body, status: 200 },
  'access_test body.approval_id': { of: (a) => a.run, rest: exec_body, status: 200 },
  'access_test body.approval.id': {
    of: (a) => a.run,
    rest: (b) => ({ body: { ...exec_body(b).body, approval: { by: 'human' } } }),
    status: 200,
  },
  'access_settings body.narrower.packs': {
    of: (a) => a.pack,
    nobody: 'no-such-pack',
    put: (name) => ({ narrower: { packs: { [name]: { approvers: 1 } } } }),
    status: 200,
  },
  'projects_access body.packs': {
    of: (a) => a.pack,
    nobody: 'nothing',
    rest: (b) => ({ path: { id: b.project } }),
    put: (name) => ({ packs: { [name]: { mode: 'manual' } } }),
    status: 200,
  },
  'projects_access path.id': { of: (a) => a.project, rest: () => ({ body: { mode: 'manual' } }) },
  'sense_list query.pack_id': filter((a) => a.pack, 'nothing'),
  'sense_list query.cursor': { of: (a) => a.run, nobody: (a) => neighbour(a.run), status: 200 },
  'sense_sources_list query.cursor': { of: (a) => a.run, nobody: (a) => neighbour(a.run), status: 200 },
  'sense_sources_set path.pack_id': { of: (a) => a.pack, nobody: 'nothing', rest: () => ({ body: { enabled: true } }) },
  'sense_sources_set body.project_id': {
    of: (a) => a.project,
    rest: (b) => ({ path: { pack_id: b.pack }, body: { enabled: true } }),
  },
  'webhooks_list query.cursor': { of: (a) => a.webhook, nobody: (a) => neighbour(a.webhook), status: 200 },
  'webhooks_get path.id': { of: (a) => a.webhook },
  'webhooks_update path.id': { of: (a) => a.webhook, rest: () => ({ body: { description: 'mine' } }) },
  'webhooks_delete path.id': { of: (a) => a.webhook },
  'webhooks_rotate_secret path.id': { of: (a) => a.webhook },
  'webhooks_test path.id': { of: (a) => a.webhook },
  'webhooks_deliveries path.id': { of: (a) => a.webhook },
  'webhooks_deliveries query.cursor': {
    of: (a) => a.delivery,
    nobody: (a) => neighbour(a.delivery),
    rest: (b) => ({ path: { id: b.webhook } }),
    status: 200,
  },
  'webhooks_redeliver path.id': { of: (a) => a.webhook, rest: (b) => ({ path: { delivery_id: b.delivery } }) },
  'webhooks_redeliver path.delivery_id': { of: (a) => a.delivery, rest: (b) => ({ path: { id: b.webhook } }) },
  // Nobody but an operator learns which tenants there are.
  'tenants_list query.cursor': { ...after((a) => a.tenant_id), status: 403 },
  'tenants_get path.id': { of: (a) => a.tenant_id, status: 403 },
  'tenants_stop path.id': { of: (a) => a.tenant_id, status: 403 },
  'tenants_rotate_data_key path.id': { of: (a) => a.tenant_id, status: 403 },
  'tenants_resume path.id': { of: (a) => a.tenant_id, status: 403 },
  'tenants_invite_owner path.id': {
    of: (a) => a.tenant_id,
    rest: () => ({ body: { email: 'someone@example.com' } }),
    status: 403,
  },
};

const fresh = (): string => `r${randomUUID().slice(0, 8)}`;

import type {
  AccessQuery,
  AccessSettingsDocument,
  AcceptInvitation,
  ActivatePack,
  Approve,
  AssignRole,
  AuditConsistencyQuery,
  ConfirmReset,
  ConnectBinding,
  CreateAccessRule,
  CreateAgent,
  CreateApiKey,
  CreateBinding,
  CreateGrant,
  CreateInvitation,
  CreateProviderClient,
  CreateOidcIssuer,
  CreateProject,
  CreateRole,
  CreateSession,
  CreateTenant,
  CreateWebhook,
  DeactivatePackQuery,
  DeleteFileQuery,
  ExecRequest,
  ExportAuditQuery,
  GetPackQuery,
  LinkIdentity,
  ListAccessRulesQuery,
  ListAgentsQuery,
  ListApiKeysQuery,
  ListApprovalsQuery,
  ListAuditQuery,
  ListBindingsQuery,
  ListCommandsQuery,
  ListDeliveriesQuery,
  ListGrantsQuery,
  ListInvitationsQuery,
  ListMembersQuery,
  ListRunsQuery,
  ListSenseQuery,
  ListSenseSourcesQuery,
  ListWebhooksQuery,
  Page,
  PageQuery,
  Readiness,
  Reject,
  RollbackPack,
  RotateBinding,
  SetMode,
  SetSenseSource,
  SignIn,
  UpdateAccessSettings,
  UpdateProviderClient,
  UpdateOidcIssuer,
  UpdateProject,
  UpdateRole,
  UpdateWebhook,
} from '@hcp/contracts';
import { readinessSchema } from '@hcp/contracts';
import type { CallOptions } from '../runtime.js';
import { exportAudit } from './audit.js';
import { followRun, followTenant, type FollowOptions } from './events.js';
import { getFile, listFolder } from './files.js';
import { problemOf, readAs, type Transport } from './transport.js';

export type RemoteApi = ReturnType<typeof remoteApi>;

/** One method a route (SPEC 17). Each resolves to the contract's type or rejects with `HcpError`. */
export function remoteApi(t: Transport) {
  return {
    auth: {
      token: (body: SignIn, o?: CallOptions) => t.call('auth_token', { body }, o),
      refresh: (refresh_token: string, o?: CallOptions) => t.call('auth_refresh', { body: { refresh_token } }, o),
      /** For pages that the API itself serves: see `browser_session` of `remote`. */
      browser: {
        signIn: (body: SignIn, o?: CallOptions) => t.call('auth_browser_sign_in', { body }, o),
        renew: (o?: CallOptions) => t.call('auth_browser_renew', {}, o),
        signOut: (o?: CallOptions) => t.call('auth_browser_sign_out', {}, o),
      },
      logout: (o?: CallOptions) => t.call('auth_logout', {}, o),
      /** Asks for a link to set a new password; resolves the same whether the person exists. */
      requestReset: (email: string, o?: CallOptions) => t.call('auth_reset', { body: { email } }, o),
      confirmReset: (body: ConfirmReset, o?: CallOptions) => t.call('auth_reset_confirm', { body }, o),
      me: (o?: CallOptions) => t.call('me', {}, o),
      jwks: (o?: CallOptions) => t.call('jwks', {}, o),
    },
    sessions: {
      create: (body: CreateSession = {}, o?: CallOptions) => t.call('sessions_create', { body }, o),
      list: (query: PageQuery = {}, o?: CallOptions) => t.call('sessions_list', { query }, o),
      delete: (id: string, o?: CallOptions) => t.call('sessions_delete', { params: { id } }, o),
    },
    projects: {
      create: (body: CreateProject, o?: CallOptions) => t.call('projects_create', { body }, o),
      list: (query: PageQuery = {}, o?: CallOptions) => t.call('projects_list', { query }, o),
      get: (id: string, o?: CallOptions) => t.call('projects_get', { params: { id } }, o),
      update: (id: string, body: UpdateProject, o?: CallOptions) =>
        t.call('projects_update', { params: { id }, body }, o),
      delete: (id: string, o?: CallOptions) => t.call('projects_delete', { params: { id } }, o),
      addMember: (id: string, principal_id: string, o?: CallOptions) =>
        t.call('projects_add_member', { params: { id, principal_id } }, o),
      removeMember: (id: string, principal_id: string, o?: CallOptions) =>
        t.call('projects_remove_member', { params: { id, principal_id } }, o),
    },
    /** The files of a project's workspace; `path` with `/`, '' for all of it. */
    files: {
      list: (id: string, path = '', o?: CallOptions) => listFolder(t, id, path, o),
      get: (id: string, path: string, o?: CallOptions) => getFile(t, id, path, o),
      put: (id: string, path: string, content: Uint8Array, o?: CallOptions) =>
        t.call('files_put', { params: { id, '*': path }, body: content }, o),
      delete: (id: string, path: string, query: DeleteFileQuery = {}, o?: CallOptions) =>
        t.call('files_delete', { params: { id, '*': path }, query }, o),
    },
    members: {
      list: (query: ListMembersQuery = {}, o?: CallOptions) => t.call('members_list', { query }, o),
      get: (id: string, o?: CallOptions) => t.call('members_get', { params: { id } }, o),
      /** The kill switch of a principal of any kind. */
      disable: (id: string, o?: CallOptions) => t.call('members_disable', { params: { id } }, o),
      enable: (id: string, o?: CallOptions) => t.call('members_enable', { params: { id } }, o),
      delete: (id: string, o?: CallOptions) => t.call('members_delete', { params: { id } }, o),
      assignRole: (id: string, body: AssignRole, o?: CallOptions) =>
        t.call('members_assign_role', { params: { id }, body }, o),
      unassignRole: (id: string, assignment_id: string, o?: CallOptions) =>
        t.call('members_unassign_role', { params: { id, assignment_id } }, o),
    },
    invitations: {
      create: (body: CreateInvitation, o?: CallOptions) => t.call('invitations_create', { body }, o),
      list: (query: ListInvitationsQuery = {}, o?: CallOptions) => t.call('invitations_list', { query }, o),
      delete: (id: string, o?: CallOptions) => t.call('invitations_delete', { params: { id } }, o),
      accept: (body: AcceptInvitation, o?: CallOptions) => t.call('invitations_accept', { body }, o),
    },
    oidcIssuers: {
      create: (body: CreateOidcIssuer, o?: CallOptions) => t.call('oidc_issuers_create', { body }, o),
      list: (query: PageQuery = {}, o?: CallOptions) => t.call('oidc_issuers_list', { query }, o),
      get: (id: string, o?: CallOptions) => t.call('oidc_issuers_get', { params: { id } }, o),
      update: (id: string, body: UpdateOidcIssuer, o?: CallOptions) =>
        t.call('oidc_issuers_update', { params: { id }, body }, o),
      delete: (id: string, o?: CallOptions) => t.call('oidc_issuers_delete', { params: { id } }, o),
      link: (id: string, body: LinkIdentity, o?: CallOptions) =>
        t.call('oidc_issuers_link', { params: { id }, body }, o),
    },
    /** For platform operators. */
    rootKeys: {
      get: (o?: CallOptions) => t.call('root_keys_get', {}, o),
      rewrap: (o?: CallOptions) => t.call('root_keys_rewrap', {}, o),
      rotateSigningKey: (o?: CallOptions) => t.call('signing_keys_rotate', {}, o),
      rotateDataKey: (tenant_id: string, o?: CallOptions) =>
        t.call('tenants_rotate_data_key', { params: { id: tenant_id } }, o),
    },
    tenants: {
      create: (body: CreateTenant, o?: CallOptions) => t.call('tenants_create', { body }, o),
      list: (query: PageQuery = {}, o?: CallOptions) => t.call('tenants_list', { query }, o),
      get: (id: string, o?: CallOptions) => t.call('tenants_get', { params: { id } }, o),
      stop: (id: string, o?: CallOptions) => t.call('tenants_stop', { params: { id } }, o),
      resume: (id: string, o?: CallOptions) => t.call('tenants_resume', { params: { id } }, o),
      inviteOwner: (id: string, email: string, o?: CallOptions) =>
        t.call('tenants_invite_owner', { params: { id }, body: { email } }, o),
    },
    agents: {
      create: (body: CreateAgent, o?: CallOptions) => t.call('agents_create', { body }, o),
      list: (query: ListAgentsQuery = {}, o?: CallOptions) => t.call('agents_list', { query }, o),
      delete: (id: string, o?: CallOptions) => t.call('agents_delete', { params: { id } }, o),
      get: (id: string, o?: CallOptions) => t.call('agents_get', { params: { id } }, o),
      actForMe: (id: string, o?: CallOptions) => t.call('agents_act_for_me', { params: { id } }, o),
      endActsFor: (id: string, o?: CallOptions) => t.call('agents_end_acts_for', { params: { id } }, o),
    },
    roles: {
      create: (body: CreateRole, o?: CallOptions) => t.call('roles_create', { body }, o),
      list: (query: PageQuery = {}, o?: CallOptions) => t.call('roles_list', { query }, o),
      update: (id: string, body: UpdateRole, o?: CallOptions) => t.call('roles_update', { params: { id }, body }, o),
      delete: (id: string, o?: CallOptions) => t.call('roles_delete', { params: { id } }, o),
    },
    grants: {
      create: (body: CreateGrant, o?: CallOptions) => t.call('grants_create', { body }, o),
      list: (query: ListGrantsQuery = {}, o?: CallOptions) => t.call('grants_list', { query }, o),
      delete: (id: string, o?: CallOptions) => t.call('grants_delete', { params: { id } }, o),
    },
    apiKeys: {
      create: (body: CreateApiKey, o?: CallOptions) => t.call('api_keys_create', { body }, o),
      list: (query: ListApiKeysQuery = {}, o?: CallOptions) => t.call('api_keys_list', { query }, o),
      delete: (id: string, o?: CallOptions) => t.call('api_keys_delete', { params: { id } }, o),
    },
    mcp: {
      /** A message of the Model Context Protocol; the bare response, whatever its status. */
      send: (message: unknown, o?: CallOptions & { headers?: Record<string, string> }) =>
        t.send('mcp', { body: message }, o),
    },
    packs: {
      /** The kill switch of a pack. */
      stop: (pack_id: string, o?: CallOptions) => t.call('packs_stop', { params: { pack_id } }, o),
      resume: (pack_id: string, o?: CallOptions) => t.call('packs_resume', { params: { pack_id } }, o),
      stopped: (pack_id: string, o?: CallOptions) => t.call('packs_stop_get', { params: { pack_id } }, o),
      /** `archive`: a tar.gz of the pack. */
      check: (archive: Uint8Array, o?: CallOptions) => t.call('packs_check', { body: archive }, o),
      install: (archive: Uint8Array, o?: CallOptions) => t.call('packs_install', { body: archive }, o),
      list: (query: PageQuery = {}, o?: CallOptions) => t.call('packs_list', { query }, o),
      /** `version`: with the commands of that one instead of the active one. */
      get: (pack_id: string, query: GetPackQuery = {}, o?: CallOptions) =>
        t.call('packs_get', { params: { pack_id }, query }, o),
      skill: (pack_id: string, options: { full?: boolean } = {}, o?: CallOptions) =>
        t.call('packs_skill', { params: { pack_id }, query: options.full === true ? { full: '1' } : {} }, o),
      deleteVersion: (pack_id: string, version: string, o?: CallOptions) =>
        t.call('packs_delete_version', { params: { pack_id, version } }, o),
      activate: (pack_id: string, body: ActivatePack = {}, o?: CallOptions) =>
        t.call('packs_activate', { params: { pack_id }, body }, o),
      rollback: (pack_id: string, body: RollbackPack = {}, o?: CallOptions) =>
        t.call('packs_rollback', { params: { pack_id }, body }, o),
      deactivate: (pack_id: string, query: DeactivatePackQuery = {}, o?: CallOptions) =>
        t.call('packs_deactivate', { params: { pack_id }, query }, o),
    },
    bindings: {
      /** Metadata only: a stored secret cannot be read back. */
      list: (query: ListBindingsQuery = {}, o?: CallOptions) => t.call('bindings_list', { query }, o),
      get: (id: string, o?: CallOptions) => t.call('bindings_get', { params: { id } }, o),
      create: (body: CreateBinding, o?: CallOptions) => t.call('bindings_create', { body }, o),
      rotate: (id: string, body: RotateBinding, o?: CallOptions) =>
        t.call('bindings_rotate', { params: { id }, body }, o),
      /** `forget`: runs may use the next wider binding from now on. */
      revoke: (id: string, options: { forget?: boolean } = {}, o?: CallOptions) =>
        t.call('bindings_revoke', { params: { id }, query: options.forget === true ? { forget: '1' } : {} }, o),
      /** Begins to connect an account by OAuth: a person's browser goes to `authorize_url`. */
      connect: (body: ConnectBinding, o?: CallOptions) => t.call('bindings_connect', { body }, o),
      /** How far that has come. */
      connection: (id: string, o?: CallOptions) => t.call('connections_get', { params: { id } }, o),
    },
    providers: {
      create: (body: CreateProviderClient, o?: CallOptions) => t.call('providers_create', { body }, o),
      list: (query: PageQuery = {}, o?: CallOptions) => t.call('providers_list', { query }, o),
      get: (id: string, o?: CallOptions) => t.call('providers_get', { params: { id } }, o),
      update: (id: string, body: UpdateProviderClient, o?: CallOptions) =>
        t.call('providers_update', { params: { id }, body }, o),
      delete: (id: string, o?: CallOptions) => t.call('providers_delete', { params: { id } }, o),
    },
    access: {
      /** What is in force, where from, and what is ignored (SPEC A6). */
      get: (query: AccessQuery = {}, o?: CallOptions) => t.call('access_get', { query }, o),
      setMode: (body: SetMode, o?: CallOptions) => t.call('access_set_mode', { body }, o),
      settings: (body: UpdateAccessSettings, o?: CallOptions) => t.call('access_settings', { body }, o),
      rules: (query: ListAccessRulesQuery = {}, o?: CallOptions) => t.call('access_rules_list', { query }, o),
      createRule: (body: CreateAccessRule, o?: CallOptions) => t.call('access_rules_create', { body }, o),
      deleteRule: (id: string, o?: CallOptions) => t.call('access_rules_delete', { params: { id } }, o),
      /** What a call would get, and why; nothing runs. */
      test: (body: ExecRequest, o?: CallOptions) => t.call('access_test', { body }, o),
      /** Replaces a project's settings by the whole document. */
      project: (id: string, body: AccessSettingsDocument, o?: CallOptions) =>
        t.call('projects_access', { params: { id }, body }, o),
    },
    /** A person's yes to one exact call (SPEC V). */
    approvals: {
      list: (query: ListApprovalsQuery = {}, o?: CallOptions) => t.call('approvals_list', { query }, o),
      /** `full`: the card is shown in full, which one that cuts a value takes before it can be approved. */
      get: (id: string, options: { full?: boolean } = {}, o?: CallOptions) =>
        t.call('approvals_get', { params: { id }, query: options.full === true ? { full: '1' } : {} }, o),
      approve: (id: string, body: Approve = {}, o?: CallOptions) =>
        t.call('approvals_approve', { params: { id }, body }, o),
      reject: (id: string, body: Reject = {}, o?: CallOptions) =>
        t.call('approvals_reject', { params: { id }, body }, o),
    },
    /** The card of a call; nothing runs and nobody is asked (SPEC C6). */
    /** What waits, runs, failed and is stale, in numbers. */
    overview: (o?: CallOptions) => t.call('overview', {}, o),
    preview: (body: ExecRequest, o?: CallOptions) => t.call('exec_preview', { body }, o),
    commands: {
      list: (query: ListCommandsQuery = {}, o?: CallOptions) => t.call('commands_list', { query }, o),
    },
    runs: {
      list: (query: ListRunsQuery = {}, o?: CallOptions) => t.call('runs_list', { query }, o),
      get: (id: string, o?: CallOptions) => t.call('runs_get', { params: { id } }, o),
      cancel: (id: string, o?: CallOptions) => t.call('runs_cancel', { params: { id } }, o),
      /** State and output as they come, until the run ends. */
      events: (id: string, options?: FollowOptions) => followRun(t, id, options),
    },
    events: {
      /** What happens in the tenant, as far as the caller may see it, until `signal` says stop. */
      follow: (options?: FollowOptions) => followTenant(t, options),
    },
    sense: {
      /** What is not mended, as far as the caller may see it; `events.follow` tells when that changes. */
      list: (query: ListSenseQuery = {}, o?: CallOptions) => t.call('sense_list', { query }, o),
      sources: (query: ListSenseSourcesQuery = {}, o?: CallOptions) => t.call('sense_sources_list', { query }, o),
      setSource: (pack_id: string, body: SetSenseSource, o?: CallOptions) =>
        t.call('sense_sources_set', { params: { pack_id }, body }, o),
    },
    webhooks: {
      /** The answer alone holds the secret. */
      create: (body: CreateWebhook, o?: CallOptions) => t.call('webhooks_create', { body }, o),
      list: (query: ListWebhooksQuery = {}, o?: CallOptions) => t.call('webhooks_list', { query }, o),
      get: (id: string, o?: CallOptions) => t.call('webhooks_get', { params: { id } }, o),
      update: (id: string, body: UpdateWebhook, o?: CallOptions) =>
        t.call('webhooks_update', { params: { id }, body }, o),
      delete: (id: string, o?: CallOptions) => t.call('webhooks_delete', { params: { id } }, o),
      rotateSecret: (id: string, o?: CallOptions) => t.call('webhooks_rotate_secret', { params: { id } }, o),
      test: (id: string, o?: CallOptions) => t.call('webhooks_test', { params: { id } }, o),
      deliveries: (id: string, query: ListDeliveriesQuery = {}, o?: CallOptions) =>
        t.call('webhooks_deliveries', { params: { id }, query }, o),
      redeliver: (id: string, delivery_id: string, o?: CallOptions) =>
        t.call('webhooks_redeliver', { params: { id, delivery_id } }, o),
    },
    audit: {
      list: (query: ListAuditQuery = {}, o?: CallOptions) => t.call('audit_list', { query }, o),
      get: (id: string, o?: CallOptions) => t.call('audit_get', { params: { id } }, o),
      /** For `proveEvent`: shows that the event is in the log. */
      proof: (id: string, o?: CallOptions) => t.call('audit_proof', { params: { id } }, o),
      /** What the log is now, signed. */
      checkpoint: (o?: CallOptions) => t.call('audit_checkpoint', {}, o),
      /** Shows that the log only grew, from one size to another. */
      consistency: (query: AuditConsistencyQuery, o?: CallOptions) => t.call('audit_consistency', { query }, o),
      key: (o?: CallOptions) => t.call('audit_key', {}, o),
      /** The whole log, or a part with hashes for the rest, as it comes. */
      export: (query: ExportAuditQuery = {}, o?: CallOptions) => exportAudit(t, query, o),
    },
    health: {
      live: (o?: CallOptions) => t.call('healthz', {}, o),
      /** Resolves for 503 too, whose body says which part is not ready. */
      ready: async (o?: CallOptions): Promise<Readiness> => {
        const response = await t.send('readyz', {}, o);
        if (!response.ok && response.status !== 503) throw await problemOf(response);
        return readAs(response, readinessSchema);
      },
    },
  };
}

/** Every item of a list, page after page. */
export async function* items<T>(list: (query: PageQuery) => Promise<Page<T>>): AsyncGenerator<T, void> {
  let cursor: string | undefined;
  do {
    const page = await list(cursor === undefined ? {} : { cursor });
    yield* page.items;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

import type {
  ActivatePack,
  AssignRole,
  CreateAgent,
  CreateApiKey,
  CreateBinding,
  CreateGrant,
  CreateProject,
  CreateRole,
  CreateSession,
  DeactivatePackQuery,
  ListAuditQuery,
  ListBindingsQuery,
  ListCommandsQuery,
  ListGrantsQuery,
  ListRunsQuery,
  Page,
  PageQuery,
  Readiness,
  RotateBinding,
  SignIn,
} from '@hcp/contracts';
import { readinessSchema } from '@hcp/contracts';
import type { CallOptions } from '../runtime.js';
import { followRun, type FollowOptions } from './events.js';
import { problemOf, readAs, type Transport } from './transport.js';

export type RemoteApi = ReturnType<typeof remoteApi>;

/** One method a route (SPEC 17). Each resolves to the contract's type or rejects with `HcpError`. */
export function remoteApi(t: Transport) {
  return {
    auth: {
      token: (body: SignIn, o?: CallOptions) => t.call('auth_token', { body }, o),
      refresh: (refresh_token: string, o?: CallOptions) => t.call('auth_refresh', { body: { refresh_token } }, o),
      logout: (o?: CallOptions) => t.call('auth_logout', {}, o),
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
      addMember: (id: string, principal_id: string, o?: CallOptions) =>
        t.call('projects_add_member', { params: { id, principal_id } }, o),
      removeMember: (id: string, principal_id: string, o?: CallOptions) =>
        t.call('projects_remove_member', { params: { id, principal_id } }, o),
    },
    members: {
      list: (query: PageQuery = {}, o?: CallOptions) => t.call('members_list', { query }, o),
      assignRole: (id: string, body: AssignRole, o?: CallOptions) =>
        t.call('members_assign_role', { params: { id }, body }, o),
      unassignRole: (id: string, assignment_id: string, o?: CallOptions) =>
        t.call('members_unassign_role', { params: { id, assignment_id } }, o),
    },
    agents: {
      create: (body: CreateAgent, o?: CallOptions) => t.call('agents_create', { body }, o),
      list: (query: PageQuery = {}, o?: CallOptions) => t.call('agents_list', { query }, o),
      delete: (id: string, o?: CallOptions) => t.call('agents_delete', { params: { id } }, o),
      endActsFor: (id: string, o?: CallOptions) => t.call('agents_end_acts_for', { params: { id } }, o),
    },
    roles: {
      create: (body: CreateRole, o?: CallOptions) => t.call('roles_create', { body }, o),
      list: (query: PageQuery = {}, o?: CallOptions) => t.call('roles_list', { query }, o),
      delete: (id: string, o?: CallOptions) => t.call('roles_delete', { params: { id } }, o),
    },
    grants: {
      create: (body: CreateGrant, o?: CallOptions) => t.call('grants_create', { body }, o),
      list: (query: ListGrantsQuery = {}, o?: CallOptions) => t.call('grants_list', { query }, o),
      delete: (id: string, o?: CallOptions) => t.call('grants_delete', { params: { id } }, o),
    },
    apiKeys: {
      create: (body: CreateApiKey, o?: CallOptions) => t.call('api_keys_create', { body }, o),
      list: (query: PageQuery = {}, o?: CallOptions) => t.call('api_keys_list', { query }, o),
      delete: (id: string, o?: CallOptions) => t.call('api_keys_delete', { params: { id } }, o),
    },
    packs: {
      /** `archive`: a tar.gz of the pack. */
      check: (archive: Uint8Array, o?: CallOptions) => t.call('packs_check', { body: archive }, o),
      install: (archive: Uint8Array, o?: CallOptions) => t.call('packs_install', { body: archive }, o),
      list: (query: PageQuery = {}, o?: CallOptions) => t.call('packs_list', { query }, o),
      get: (pack_id: string, o?: CallOptions) => t.call('packs_get', { params: { pack_id } }, o),
      skill: (pack_id: string, options: { full?: boolean } = {}, o?: CallOptions) =>
        t.call('packs_skill', { params: { pack_id }, query: options.full === true ? { full: '1' } : {} }, o),
      deleteVersion: (pack_id: string, version: string, o?: CallOptions) =>
        t.call('packs_delete_version', { params: { pack_id, version } }, o),
      activate: (pack_id: string, body: ActivatePack = {}, o?: CallOptions) =>
        t.call('packs_activate', { params: { pack_id }, body }, o),
      deactivate: (pack_id: string, query: DeactivatePackQuery = {}, o?: CallOptions) =>
        t.call('packs_deactivate', { params: { pack_id }, query }, o),
    },
    bindings: {
      /** Metadata only: a stored secret cannot be read back. */
      list: (query: ListBindingsQuery = {}, o?: CallOptions) => t.call('bindings_list', { query }, o),
      create: (body: CreateBinding, o?: CallOptions) => t.call('bindings_create', { body }, o),
      rotate: (id: string, body: RotateBinding, o?: CallOptions) =>
        t.call('bindings_rotate', { params: { id }, body }, o),
      /** `forget`: runs may use the next wider binding from now on. */
      revoke: (id: string, options: { forget?: boolean } = {}, o?: CallOptions) =>
        t.call('bindings_revoke', { params: { id }, query: options.forget === true ? { forget: '1' } : {} }, o),
    },
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
    audit: {
      list: (query: ListAuditQuery = {}, o?: CallOptions) => t.call('audit_list', { query }, o),
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

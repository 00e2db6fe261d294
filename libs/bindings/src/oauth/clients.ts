import { appendAudit } from '@hcp/audit';
import type {
  CreateProviderClient,
  ProviderClient as ProviderClientAnswer,
  Page,
  PageQuery,
  UpdateProviderClient,
} from '@hcp/contracts';
import { allows, type Caller } from '@hcp/core';
import { isUniqueViolation, type Database, type ProviderClient, type Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { pageById } from '../paging.js';
import type { TenantSealer } from '../ports.js';
import { done, refuse, unknownThing, wrongField, type Answer, type BindingRefusal } from '../refusal.js';
import { sealClientSecret } from './client-secret.js';
import type { CredentialEvents } from './events.js';
import { providerProblem } from './provider-problem.js';
import type { Providers } from './providers.js';
import { markStale } from './stale.js';

export interface ProviderClientDeps {
  readonly db: Database;
  readonly sealer: TenantSealer;
  readonly providers: Providers;
  readonly events: CredentialEvents;
  /** Where every provider sends browsers back to. */
  readonly redirect_uri: string;
}

const MAX_CLIENTS = 100;

/** SPEC P5: packs carry no client secrets, so whoever manages the tenant registers them; for all tenants, an operator. */
export async function createProviderClient(
  deps: ProviderClientDeps,
  caller: Caller,
  input: CreateProviderClient,
): Promise<Answer<ProviderClientAnswer>> {
  const refusal = rightProblem(caller) ?? authProblem(input);
  if (refusal) return refusal;
  const problem = await providerProblem(deps.providers, input);
  if (problem) return problem;
  const { tenant_id, principal, platform } = caller;
  const { client_secret, issuer = null } = input;
  const place = { id: uuidv7(), secret_version: 1 };
  const sealer = await deps.sealer(tenant_id);
  const create = async (tx: Tx): Promise<Answer<ProviderClientAnswer>> => {
    if ((await tx.providerClient.count({ where: { tenant_id } })) >= MAX_CLIENTS) {
      return refuse('conflict', `a tenant has at most ${String(MAX_CLIENTS)} OAuth clients`);
    }
    const row = await tx.providerClient.create({
      data: {
        tenant_id,
        ...place,
        platform,
        provider: input.provider,
        issuer,
        discovery: input.token_endpoint === undefined,
        authorization_endpoint: input.authorization_endpoint ?? null,
        token_endpoint: input.token_endpoint ?? null,
        revocation_endpoint: input.revocation_endpoint ?? null,
        userinfo_endpoint: input.userinfo_endpoint ?? null,
        client_id: input.client_id,
        secret_enc: client_secret === undefined ? null : sealClientSecret(sealer, place, client_secret),
        token_endpoint_auth_method: authMethod(input),
        scopes: [...new Set(input.scopes ?? [])],
        grant_types: [...new Set(input.grant_types ?? ['authorization_code' as const])],
        created_by: principal.id,
      },
    });
    await record(tx, caller, 'provider_client.create', row);
    return done(answer(deps, row));
  };
  try {
    return await deps.db.tenant(tenant_id, create);
  } catch (error) {
    if (isUniqueViolation(error))
      return refuse('conflict', 'there is a client for this provider already: change or remove it');
    throw error;
  }
}

export async function listProviderClients(
  deps: ProviderClientDeps,
  caller: Caller,
  query: PageQuery,
): Promise<Answer<Page<ProviderClientAnswer>>> {
  const refusal = rightProblem(caller);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const page = await deps.db.tenant(tenant_id, (tx) =>
    pageById(query, ({ after, take }) =>
      tx.providerClient.findMany({ where: { tenant_id, id: { gt: after } }, orderBy: { id: 'asc' }, take }),
    ),
  );
  if (page === null) return wrongField('/cursor', 'is no cursor of this list');
  return done({ ...page, items: page.items.map((row) => answer(deps, row)) });
}

export async function getProviderClient(
  deps: ProviderClientDeps,
  caller: Caller,
  id: string,
): Promise<Answer<ProviderClientAnswer>> {
  const refusal = rightProblem(caller);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const row = await deps.db.tenant(tenant_id, (tx) =>
    tx.providerClient.findUnique({ where: { tenant_id_id: { tenant_id, id } } }),
  );
  return row ? done(answer(deps, row)) : unknownThing();
}

/**
 * Changes secret, scopes and uses. Where its tokens are asked for stays: people's refresh tokens go there, and whoever
 * could move that could collect them.
 */
export async function updateProviderClient(
  deps: ProviderClientDeps,
  caller: Caller,
  id: string,
  input: UpdateProviderClient,
): Promise<Answer<ProviderClientAnswer>> {
  const refusal = rightProblem(caller);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const sealer = await deps.sealer(tenant_id);
  return deps.db.tenant(tenant_id, async (tx): Promise<Answer<ProviderClientAnswer>> => {
    const where = { tenant_id_id: { tenant_id, id } };
    const before = await tx.providerClient.findUnique({ where });
    if (!before) return unknownThing();
    const { client_secret, scopes, grant_types } = input;
    if (client_secret !== undefined && before.secret_enc === null) {
      return wrongField('/client_secret', 'is not used by a public client');
    }
    const secret_version = before.secret_version + (client_secret === undefined ? 0 : 1);
    const { count } = await tx.providerClient.updateMany({
      where: { tenant_id, id, secret_version: before.secret_version },
      data: {
        ...(client_secret !== undefined && {
          secret_version,
          secret_enc: sealClientSecret(sealer, { id, secret_version }, client_secret),
        }),
        ...(scopes && { scopes: [...new Set(scopes)] }),
        ...(grant_types && { grant_types: [...new Set(grant_types)] }),
        updated_at: new Date(),
      },
    });
    if (count === 0) return refuse('conflict', 'the client was changed at the same time: look at it again');
    if (client_secret !== undefined) await giveAnotherChance(tx, deps.events, tenant_id, id);
    const row = await tx.providerClient.findUniqueOrThrow({ where });
    await record(tx, caller, 'provider_client.update', row, { secret: client_secret !== undefined });
    return done(answer(deps, row));
  });
}

/** What was connected through it in this tenant is stale at once; in others, where it was the platform's, when it is used. */
export async function deleteProviderClient(
  deps: ProviderClientDeps,
  caller: Caller,
  id: string,
): Promise<Answer<null>> {
  const refusal = rightProblem(caller);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return deps.db.tenant(tenant_id, async (tx): Promise<Answer<null>> => {
    const row = await tx.providerClient.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
    if (!row) return unknownThing();
    const bound = await tx.binding.findMany({
      where: { tenant_id, provider_client_tenant_id: tenant_id, provider_client_id: id, revoked_at: null },
      select: { tenant_id: true, id: true, version: true, token_version: true },
    });
    const now = new Date();
    for (const seen of bound) await markStale(tx, deps.events, seen, 'client_removed', now);
    await tx.providerClient.deleteMany({ where: { tenant_id, id } });
    await record(tx, caller, 'provider_client.delete', row);
    return done(null);
  });
}

/** With another secret the provider may take the client again. */
async function giveAnotherChance(tx: Tx, events: CredentialEvents, tenant_id: string, id: string): Promise<void> {
  const where = {
    tenant_id,
    provider_client_tenant_id: tenant_id,
    provider_client_id: id,
    stale_reason: 'client_refused',
  };
  const rows = await tx.binding.findMany({ where });
  await tx.binding.updateMany({ where, data: { stale_at: null, stale_reason: null } });
  for (const row of rows) await events.mended(tx, { ...row, reason: null });
}

/** `tenant.manage` in a tenant; in the platform's they are every tenant's, and so an operator's. */
function rightProblem(caller: Caller): BindingRefusal | null {
  if (caller.is_agent || caller.principal.kind !== 'human') {
    return refuse('human_only', 'only a person may do this, whatever was granted');
  }
  const capability = caller.platform ? 'platform.manage' : 'tenant.manage';
  if (allows(caller.authority, { capability }, new Date())) return null;
  return refuse('missing_capability', `denied: missing ${capability}`);
}

function authProblem(input: CreateProviderClient): BindingRefusal | null {
  const method = authMethod(input);
  if (method === 'none' && input.client_secret !== undefined) {
    return wrongField('/client_secret', 'is not used with token_endpoint_auth_method none');
  }
  if (method !== 'none' && input.client_secret === undefined) return wrongField('/client_secret', 'must be given');
  if (method === 'none' && input.grant_types?.includes('client_credentials')) {
    return wrongField('/grant_types', 'client_credentials takes a client with a secret');
  }
  return null;
}

const authMethod = ({ token_endpoint_auth_method, client_secret }: CreateProviderClient) =>
  token_endpoint_auth_method ?? (client_secret === undefined ? 'none' : 'client_secret_basic');

async function record(tx: Tx, caller: Caller, action: string, row: ProviderClient, more: object = {}): Promise<void> {
  await appendAudit(tx, {
    tenant_id: caller.tenant_id,
    action,
    principal_id: caller.principal.id,
    principal_kind: caller.principal.kind,
    acts_for: caller.acts_for,
    session_id: caller.session.id,
    decision: 'allow',
    subject: `provider_client:${row.id}`,
    details: {
      provider: row.provider,
      issuer: row.issuer,
      token_endpoint: row.token_endpoint,
      client_id: row.client_id,
      scopes: row.scopes,
      grant_types: row.grant_types,
      ...more,
    },
  });
}

const answer = ({ redirect_uri }: ProviderClientDeps, row: ProviderClient): ProviderClientAnswer => ({
  id: row.id,
  provider: row.provider,
  issuer: row.issuer,
  authorization_endpoint: row.authorization_endpoint,
  token_endpoint: row.token_endpoint,
  revocation_endpoint: row.revocation_endpoint,
  userinfo_endpoint: row.userinfo_endpoint,
  client_id: row.client_id,
  token_endpoint_auth_method: row.token_endpoint_auth_method as ProviderClientAnswer['token_endpoint_auth_method'],
  scopes: row.scopes,
  grant_types: row.grant_types as ProviderClientAnswer['grant_types'],
  redirect_uri,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

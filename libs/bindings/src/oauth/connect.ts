import type { ConnectBinding, Connection as ConnectionAnswer, ConnectStarted } from '@hcp/contracts';
import { allows, bindingFamilies, credentialFields, type Caller, type Pack, type StoredFamily } from '@hcp/core';
import type { Connection, Database, ProviderClient, Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import type { LoadPack, TenantSealer } from '../ports.js';
import { done, refuse, unknownThing, type Answer, type BindingRefusal } from '../refusal.js';
import { manageProblem, noAgents } from '../rights.js';
import { familyProblem, packProblem, projectProblem } from '../scope-checks.js';
import type { CredentialEvents } from './events.js';
import { findClient, type GrantType } from './find-client.js';
import type { Providers } from './providers.js';
import { codeOf, hashOf, newSecret } from './tickets.js';
import { OAUTH_FIELDS, type OauthKind } from './tokens.js';

export interface ConnectDeps {
  readonly db: Database;
  readonly sealer: TenantSealer;
  readonly pack: LoadPack;
  readonly providers: Providers;
  readonly events: CredentialEvents;
  /** Where people reach this API, without a slash at the end. */
  readonly public_url: string;
  readonly onError: (error: Error) => void;
}

export const CALLBACK_PATH = '/v1/bindings/callback';
export const redirectUri = (public_url: string): string => `${public_url}${CALLBACK_PATH}`;

/** SPEC B2: from the beginning to the way back. */
const LIFE_MS = 10 * 60_000;
const MAX_OPEN = 20;

/** Where a connection belongs, and what it is for. */
export interface Wanted {
  readonly pack_id: string;
  readonly family: string;
  readonly project_id: string | null;
  readonly shared: boolean;
}

/** Begins a connection: the caller's browser goes to the answered address, which leads it on to the provider. */
export async function beginConnect(
  deps: ConnectDeps,
  caller: Caller,
  input: ConnectBinding,
  now: Date,
): Promise<Answer<ConnectStarted>> {
  const early = noAgents(caller);
  if (early) return early;
  const { tenant_id, principal, session } = caller;
  const project_id = input.project_id ?? session.project_id;
  return deps.db.tenant(tenant_id, async (tx): Promise<Answer<ConnectStarted>> => {
    const family = input.family ?? (await defaultFamily(deps, tx, caller, input.pack_id, project_id));
    const wanted = { pack_id: input.pack_id, family, project_id, shared: input.shared === true };
    const ready = await connectable(deps, tx, caller, wanted, 'oauth2_code', now);
    if (!ready.ok) return ready;
    const open = {
      tenant_id,
      principal_id: principal.id,
      status: { in: ['pending', 'started'] },
      expires_at: { gt: now },
    };
    if ((await tx.connection.count({ where: open })) >= MAX_OPEN) {
      return refuse('conflict', 'too many connections are open: finish one, or wait ten minutes');
    }
    const ticket = newSecret();
    const { client } = ready.value;
    const row = await tx.connection.create({
      data: {
        tenant_id,
        id: uuidv7(),
        principal_id: principal.id,
        session_id: session.id,
        ...wanted,
        provider: client.provider,
        provider_client_tenant_id: client.tenant_id,
        provider_client_platform: client.platform,
        provider_client_id: client.id,
        status: 'pending',
        to_dashboard: input.return_to === 'dashboard',
        ticket_hash: hashOf(ticket),
        expires_at: new Date(now.getTime() + LIFE_MS),
      },
    });
    return done({
      connection_id: row.id,
      authorize_url: `${deps.public_url}/v1/connections/${row.id}/start?ticket=${ticket}`,
      code: codeOf(ticket),
      expires_at: row.expires_at.toISOString(),
    });
  });
}

/** How far one's own connection has come. */
export async function getConnection(
  db: Database,
  caller: Caller,
  id: string,
  now: Date,
): Promise<Answer<ConnectionAnswer>> {
  const refusal = noAgents(caller);
  if (refusal) return refusal;
  const { tenant_id, principal } = caller;
  const row = await db.tenant(tenant_id, (tx) =>
    tx.connection.findUnique({ where: { tenant_id_id: { tenant_id, id } } }),
  );
  if (row?.principal_id !== principal.id) return unknownThing();
  return done({
    id: row.id,
    pack_id: row.pack_id,
    provider: row.provider,
    status: statusOf(row, now),
    reason: row.reason,
    binding_id: row.binding_id,
    expires_at: row.expires_at.toISOString(),
  });
}

function statusOf({ status, expires_at }: Connection, now: Date): ConnectionAnswer['status'] {
  if (status === 'connected' || status === 'failed') return status;
  if (expires_at <= now) return 'expired';
  return status === 'pending' ? 'pending' : 'started';
}

/**
 * Whether this caller may connect this now, and through which client. Asked when a connection begins and once more when it
 * ends, ten minutes later.
 */
export async function connectable(
  deps: Pick<ConnectDeps, 'pack'>,
  tx: Tx,
  caller: Caller,
  wanted: Wanted,
  kind: OauthKind,
  now: Date,
): Promise<Answer<{ readonly client: ProviderClient; readonly pack: Pack }>> {
  const { tenant_id, principal } = caller;
  const { pack_id, project_id, shared } = wanted;
  const principal_id = shared ? null : principal.id;
  const early =
    familyProblem(caller, wanted) ??
    (await projectProblem(tx, tenant_id, project_id)) ??
    manageProblem(caller, { pack_id, principal_id, project_id }, now) ??
    ownAccountProblem(caller, wanted, kind, now);
  if (early) return early;
  const pack = await deps.pack(tx, caller, pack_id, project_id);
  if (!pack) return unknownThing();
  const problem = packProblem(pack, wanted) ?? fieldsProblem(pack);
  if (problem) return problem;
  const grant: GrantType = kind === 'oauth2_code' ? 'authorization_code' : 'client_credentials';
  const { provider } = pack.manifest.binding;
  const client = provider === undefined ? null : await findClient(tx, tenant_id, provider, grant);
  if (!client) return refuse('conflict', `no OAuth client for ${provider ?? 'this pack'} is registered for ${grant}`);
  const taken = await tx.binding.findFirst({
    where: {
      tenant_id,
      pack_id,
      family: wanted.family,
      principal_id,
      project_id,
      revoked_at: null,
      kind: { not: kind },
    },
    select: { id: true },
  });
  if (taken) return refuse('conflict', 'there is a binding of another kind already: revoke it first');
  return done({ client, pack });
}

/** The tenant's own account at a service is given out by who manages bindings, and to no one by themselves. */
function ownAccountProblem(
  caller: Caller,
  { pack_id, project_id }: Wanted,
  kind: OauthKind,
  now: Date,
): BindingRefusal | null {
  if (kind === 'oauth2_code') return null;
  const need = { capability: 'binding.manage', pack_id, project_id: project_id ?? undefined } as const;
  if (allows(caller.authority, need, now)) return null;
  return refuse('missing_capability', `denied: missing binding.manage for ${pack_id}`);
}

function fieldsProblem(pack: Pack): BindingRefusal | null {
  const names = credentialFields(pack);
  if (names.length === 0) return refuse('conflict', 'the pack has no field for a token');
  const other = names.find((name) => !OAUTH_FIELDS.includes(name));
  if (other === undefined) return null;
  return refuse('conflict', `the pack asks for the field ${other}: by OAuth there is ${OAUTH_FIELDS.join(' and ')}`);
}

/** What the pack's commands run with; where it has none, or is not there, the next check says so. */
async function defaultFamily(
  deps: Pick<ConnectDeps, 'pack'>,
  tx: Tx,
  caller: Caller,
  pack_id: string,
  project_id: string | null,
): Promise<StoredFamily> {
  const pack = await deps.pack(tx, caller, pack_id, project_id);
  return (pack && bindingFamilies(pack)[0]) ?? 'user';
}

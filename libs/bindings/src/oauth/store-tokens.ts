import { credentialFields, type Caller, type Pack } from '@hcp/core';
import type { Binding, ProviderClient, Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { recordBindingAct } from '../audit.js';
import type { Sealer } from '../ports.js';
import { sealFields } from '../secret.js';
import type { Wanted } from './connect.js';
import type { CredentialEvents } from './events.js';
import type { Account, TokenSet } from './grants.js';
import { clocksOf, contentOf, type OauthKind } from './tokens.js';

export interface NewTokens {
  readonly kind: OauthKind;
  readonly client: ProviderClient;
  readonly pack: Pack;
  readonly set: TokenSet;
  readonly account: Account;
  readonly asked_at: Date;
}

/**
 * Keeps what a provider gave for a scope: a new connection, or a new version of the one that is there. Another account is
 * another version, so what was approved for the one before is not for it (SPEC V1).
 */
export async function storeTokens(
  tx: Tx,
  { sealer, events }: { readonly sealer: Sealer; readonly events: CredentialEvents },
  caller: Caller,
  wanted: Wanted,
  { kind, client, pack, set, account, asked_at }: NewTokens,
): Promise<Binding> {
  const { tenant_id, principal } = caller;
  const { pack_id, family, project_id } = wanted;
  const scope = { tenant_id, pack_id, family, principal_id: wanted.shared ? null : principal.id, project_id };
  await tx.binding.deleteMany({ where: { ...scope, revoked_at: { not: null } } });
  const before = await tx.binding.findFirst({ where: scope });
  const version = (before?.version ?? 0) + 1;
  const place = { id: before?.id ?? uuidv7(), pack_id, family, kind, version, token_version: 1 };
  const refreshable = kind === 'oauth2_client_credentials' || set.refresh_token !== null;
  const data = {
    version,
    token_version: 1,
    ...clocksOf(set, asked_at, refreshable),
    ...account,
    scopes: [...(set.scopes ?? client.scopes)],
    provider_client_tenant_id: client.tenant_id,
    provider_client_platform: client.platform,
    provider_client_id: client.id,
    field_names: credentialFields(pack),
    secret_enc: sealFields(sealer, place, contentOf(set)),
    rotated_by: principal.id,
    rotated_at: asked_at,
    refresh_by: null,
    refresh_until: null,
    stale_at: null,
    stale_reason: null,
  };
  const row = before
    ? await tx.binding.update({ where: { tenant_id_id: { tenant_id, id: before.id }, version: before.version }, data })
    : await tx.binding.create({ data: { ...scope, id: place.id, kind, created_by: principal.id, ...data } });
  await events.mended(tx, { ...row, reason: null });
  await recordBindingAct(tx, caller, before ? 'binding.reconnect' : 'binding.connect', row);
  return row;
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Binding, Database } from '@hcp/database';
import type { Sealer, TenantSealer } from '../ports.js';
import { openFields } from '../secret.js';
import { clientSecret } from './client-secret.js';
import { providerFailure } from './failure.js';
import { revokeToken } from './grants.js';
import type { Providers } from './providers.js';
import { isOauthKind, tokensOf, type StoredTokens } from './tokens.js';

/** Tokens that a provider shall forget. */
export interface Revocation {
  readonly tenant_id: string;
  readonly provider_client: { readonly tenant_id: string; readonly id: string };
  readonly token: string;
  readonly hint: 'refresh_token' | 'access_token';
}

/** Never throws: what we held is gone whatever the provider says. */
export type RevokeAtProvider = (revocation: Revocation) => Promise<void>;

/** What the provider is told of a row that was revoked; null for other kinds, and where nothing is left to tell. */
export function revocationOf(sealer: Sealer, row: Binding): Revocation | null {
  const { tenant_id, kind, secret_enc, provider_client_tenant_id, provider_client_id } = row;
  if (!isOauthKind(kind) || secret_enc === null || provider_client_tenant_id === null || provider_client_id === null)
    return null;
  const { access_token, refresh_token } = readable(sealer, row, secret_enc);
  if (access_token === '') return null;
  const provider_client = { tenant_id: provider_client_tenant_id, id: provider_client_id };
  // With the refresh token the provider forgets the access tokens too (RFC 7009, 2.1).
  return refresh_token === null
    ? { tenant_id, provider_client, token: access_token, hint: 'access_token' }
    : { tenant_id, provider_client, token: refresh_token, hint: 'refresh_token' };
}

/** Nothing, where the row was changed behind the application's back: it is erased all the same. */
function readable(sealer: Sealer, row: Binding, sealed: Uint8Array): StoredTokens {
  try {
    return tokensOf(openFields(sealer, row, sealed));
  } catch {
    return tokensOf({});
  }
}

/** Whoever revokes does not wait for a provider that is slow. */
const PATIENCE_MS = 5_000;

export function revokeAtProvider(deps: {
  readonly db: Database;
  readonly sealer: TenantSealer;
  readonly providers: Providers;
  readonly onError: (error: Error) => void;
}): RevokeAtProvider {
  const tell = async ({ tenant_id, provider_client, token, hint }: Revocation): Promise<void> => {
    const client = await deps.db.tenant(tenant_id, (tx) =>
      tx.providerClient.findUnique({ where: { tenant_id_id: provider_client } }),
    );
    if (client === null) return;
    const secret = await clientSecret(deps.sealer, client);
    try {
      await revokeToken(await deps.providers.configuration(client, secret), token, hint);
    } catch (error) {
      deps.onError(new Error(`a token was not revoked: the provider ${providerFailure(error).why}`));
    }
  };
  return async (revocation) => {
    const told = tell(revocation).catch((error: unknown) => deps.onError(error as Error));
    await Promise.race([told, sleep(PATIENCE_MS, undefined, { ref: false })]);
  };
}
